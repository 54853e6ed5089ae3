import { rotateSigningKeys } from '../../../src/core/config/signing-keys.ts'
import { owning } from '../owning.ts'
import type { TestStore } from '../store/engines.ts'
import { NOON } from '../store/records.ts'
import { serveEvents } from './event-stream.ts'

const PUBLIC_URL = 'https://passports.example.com'
const DID = 'did:web:passports.example.com'

// biome-ignore lint/suspicious/noExplicitAny: tests change any member of a response.
type Body = any
export type Tamper = (body: Body, path: string) => unknown

/** A service that signs, behind a proxy that changes its responses with `tamper.with`. */
export async function serveTampered(store: TestStore) {
  const signing = rotateSigningKeys(undefined, NOON)
  const server = await serveEvents(store, { signing, publicUrl: PUBLIC_URL })
  const tamper: { with: Tamper } = { with: (body) => body }
  const seen: string[] = []
  const proxy = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      seen.push(pathname + search)
      if (pathname === '/.well-known/jwks.json') {
        const keys = signing.listed.map((key) => ({ ...key, kid: `${DID}#${key.kid}` }))
        return Response.json(tamper.with({ keys }, pathname))
      }
      const headers = { 'X-API-KEY': request.headers.get('x-api-key') ?? '' }
      const response = await fetch(server.url.origin + pathname + search, { headers })
      const body = await response.json()
      return Response.json(response.ok ? tamper.with(body, pathname) : body, { status: response.status })
    },
  })
  const url = proxy.url.origin
  return owning({ ...server, store, url, seen, tamper, signing }, server, {
    [Symbol.asyncDispose]: () => proxy.stop(true),
  })
}
