import { etagOf } from '../../../src/core/basics/hash.ts'
import { parsePassportRef } from '../../../src/core/passport/passport.ts'
import { presentCredential } from '../../../src/core/passport/present.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { presentListedV1, presentV1 } from './present-v1.ts'

type Answer = { body: object; headers?: Record<string, string> } | undefined

/** A service with the V1 API, which is not this one: it serves the passports of a store. */
export function serveV1(store: Store, { requireKey = false } = {}) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch({ url, headers }) {
      const { pathname, searchParams } = new URL(url)
      const key = headers.get('X-API-KEY')?.split('_')[1] ?? ''
      if (requireKey && !(await store.keys.find(key))) return new Response('', { status: 401 })
      const last = pathname.split('/').at(-1) ?? ''
      const answer =
        last === 'passports'
          ? await list(
              store,
              Number(searchParams.get('page') ?? 1),
              Number(searchParams.get('per_page') ?? 25),
            )
          : last === 'passport_credentials'
            ? await listCredentials(store, searchParams.get('passport_id') ?? '')
            : await findPassport(store, last)
      if (!answer) return Response.json({ error: 'Resource not found.' }, { status: 404 })
      const body = JSON.stringify(answer.body)
      const etag = etagOf(body)
      return headers.get('If-None-Match') === etag
        ? new Response(null, { status: 304, headers: { ETag: etag } })
        : new Response(body, { headers: { ...answer.headers, ETag: etag } })
    },
  })
  return { url: server.url, [Symbol.asyncDispose]: () => server.stop(true) }
}

async function list(store: Store, page: number, size: number): Promise<Answer> {
  const records = await store.records.list(-1, 100_000)
  const passports = (await store.passports.listByIds(records.map(({ id }) => id))).toSorted(
    (one, other) => other.scores.total - one.scores.total || one.id - other.id,
  )
  const last_page = Math.max(1, Math.ceil(passports.length / size))
  const shown = passports.slice((page - 1) * size, page * size).map(presentListedV1)
  return {
    body: { passports: shown, pagination: { current_page: page, last_page, total: passports.length } },
  }
}

async function findPassport(store: Store, named: string): Promise<Answer> {
  const ref = parsePassportRef(named)
  const passport = ref && (await store.passports.find(ref))
  if (!passport) return undefined
  const headers = passport.merged ? { 'Content-Location': `/api/v1/passports/${passport.id}` } : {}
  return { body: { passport: presentV1(passport) }, headers }
}

async function listCredentials(store: Store, named: string): Promise<Answer> {
  const ref = parsePassportRef(named)
  const found = ref && (await store.passports.findWithCredentials(ref))
  return found && { body: { passport_credentials: found.credentials.map(presentCredential) } }
}
