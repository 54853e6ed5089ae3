import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resultOf } from '../../support/cli.ts'
import { inBrowser } from '../../support/explorer/browser.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveRecords } from '../../support/http/server.ts'
import { createSigningKey, signMessage } from '../../support/http/webhook-receiver.ts'
import { inventPeople } from '../../support/store/invented-people.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const ROOT = join(import.meta.dir, '../../..')
const INDEX = '/node_modules/@passportd/client/dist/index.js'
const MAIN = `import { run } from './scenario.js'
console.log(JSON.stringify(await run(...process.argv.slice(2))))
`
const PAGE = `<!doctype html><script type="importmap">{"imports":{"@passportd/client":"${INDEX}"}}</script>`

/** Compiles only if the packed types equal those of the source. `Same` is false if a field is optional in one only. */
const compareTypes = (home: string, names: readonly string[]) => `
import type * as packed from '${home}/dist/index.d.ts'
import type * as source from '${ROOT}/packages/client/src/index.ts'
import type { ErrorCode } from '${ROOT}/src/core/basics/errors.ts'
type Flat<T> = T extends (infer Item)[] ? Flat<Item>[] : T extends object ? { [Name in keyof T]: Flat<T[Name]> } : T
type Same<A, B> = (<T>() => T extends Flat<A> ? 1 : 2) extends <T>() => T extends Flat<B> ? 1 : 2 ? true : false
type Own = 'timeout' | 'network' | 'invalid_answer'
const other: Same<{ a: number }, { a?: number }> = false
const codes: Same<Exclude<packed.PassportErrorCode, Own>, Exclude<ErrorCode, 'not_acceptable'>> = true
${names.map((name) => `const is${name}: Same<packed.${name}, source.${name}> = true`).join('\n')}
`

async function command(args: string[], cwd: string): Promise<string> {
  const { out, err, code } = await resultOf(Bun.spawn(args, { cwd, stdout: 'pipe', stderr: 'pipe' }))
  if (code !== 0) throw new Error(`${args.join(' ')}: ${out}${err}`)
  return out
}

describe('the packed client', () => {
  const folder = tempFolder()
  const home = join(folder.path, 'node_modules/@passportd/client')
  let archive = ''
  let service: Awaited<ReturnType<typeof serveRecords>>
  let expected: unknown
  let key: string
  const faulty = serveFaults()

  beforeAll(async () => {
    const pack = ['npm', 'pack', '--silent', '-w', 'packages/client', '--pack-destination', folder.path]
    archive = join(folder.path, (await command(pack, ROOT)).trim())
    mkdirSync(home, { recursive: true })
    await command(['tar', '-xzf', archive, '--strip-components=1', '-C', home], folder.path)
    copyFileSync(join(import.meta.dir, 'packed-client-scenario.js'), join(folder.path, 'scenario.js'))
    writeFileSync(join(folder.path, 'main.mjs'), MAIN)
    service = await serveRecords({}, inventPeople().slice(0, 300))
    key = (await makeKey(service.store, 1, { scopes: ['read', 'events', 'write:*'] })).key
    const { body: list } = await service.get('/api/v1/passports?keyword=ada&per_page=250')
    const ids = list.passports.map(({ passport_id }: { passport_id: number }) => passport_id)
    const { body: first } = await service.get(`/api/v1/passports/${ids[0]}`)
    const { body: credentials } = await service.get(`/api/v1/passport_credentials?passport_id=${ids[0]}`)
    expected = {
      ids,
      passport: first.passport,
      isSame: true,
      credentials: credentials.passport_credentials.length,
      notices: ['2025-03-31T00:00:00.000Z'],
      listed: ids,
      found: [...ids, 'malformed'],
      events: ['k-2', 'k-3', 'k-4'],
      written: ['added'],
      hook: ['active', 'paused', 'paused'],
      verified: ['k-1', 'k-1', 'WebhookError'],
      failures: [
        'not_found 404',
        'invalid_request 400',
        'network undefined',
        'timeout undefined',
        'none',
        'network undefined',
        'network undefined',
        'timeout undefined',
        'unauthorized 401',
        'not_found 404',
        'called off',
      ],
    }
    expect(ids.length).toBeGreaterThan(2)
  })

  afterAll(async () => {
    await faulty.stop()
    await service[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  test.each([
    ['Node', 'node'],
    ['Bun', process.execPath],
  ])('works in %s', async (_, program) => {
    const args = [service.url.origin, faulty.begin(), key, signWebhook()]
    const out = await command([program, 'main.mjs', ...args], folder.path)
    expect(JSON.parse(out)).toEqual(expected)
  })

  inBrowser('in a browser', (browser) => {
    test('works on a page of another origin', async () => {
      await using site = Bun.serve({
        port: 0,
        fetch: ({ url }) => {
          const { pathname } = new URL(url)
          if (pathname === '/favicon.ico') return new Response(null, { status: 204 })
          if (pathname === '/') return new Response(PAGE, { headers: { 'Content-Type': 'text/html' } })
          return new Response(Bun.file(join(folder.path, pathname)), {
            headers: { 'Content-Type': 'text/javascript' },
          })
        },
      })
      const page = await browser.newPage()
      await page.goto(site.url.href)
      const args = JSON.stringify([service.url.origin, faulty.begin(), key, signWebhook()])
      const result = await page.evaluate(`import('/scenario.js').then(({ run }) => run(...${args}))`)
      expect(result).toEqual(expected as never)
    })
  })

  test('has the types of the source, which derive from the schemas of the API, and all error codes', async () => {
    const source = await Bun.file(join(ROOT, 'packages/client/src/types.ts')).text()
    const names = [...source.matchAll(/^export type (\w+)/gm)].map(([, name]) => name as string)
    expect(names.length).toBeGreaterThan(25)
    const settings = {
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { noUnusedLocals: false, typeRoots: [join(ROOT, 'node_modules/@types')] },
    }
    writeFileSync(join(folder.path, 'compare.ts'), compareTypes(home, names))
    const calls = await Bun.file(join(import.meta.dir, '../../client/v3-types.ts')).text()
    writeFileSync(
      join(folder.path, 'calls.ts'),
      calls.replace('../../packages/client/src/index.ts', '@passportd/client'),
    )
    writeFileSync(
      join(folder.path, 'tsconfig.json'),
      JSON.stringify({ ...settings, include: ['compare.ts', 'calls.ts'] }),
    )
    const compiler = join(ROOT, 'node_modules/.bin/tsc')
    expect(await command([compiler, '--noEmit', '-p', folder.path], folder.path)).toBe('')
  })

  test('is small, has types and the version of the service, and has no dependencies', async () => {
    expect(Bun.file(archive).size).toBeLessThan(30_000)
    const { outputs } = await Bun.build({ entrypoints: [join(home, 'dist/index.js')], minify: true })
    const size = Bun.gzipSync(await (outputs[0] as Blob).arrayBuffer()).length
    const docs = await Bun.file(join(ROOT, 'docs/client.md')).text()
    expect(docs).toContain(`minified and compressed it is ${(size / 1000).toFixed(1)} KB`)
    const manifest = await Bun.file(join(home, 'package.json')).json()
    expect(manifest.version).toBe((await Bun.file(join(ROOT, 'package.json')).json()).version)
    expect(await Bun.file(join(home, manifest.exports.types)).exists()).toBe(true)
    expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([])
    for (const file of new Bun.Glob('dist/*.js').scanSync(home)) {
      const imports = [...(await Bun.file(join(home, file)).text()).matchAll(/from '([^']+)'/g)]
      for (const [, name] of imports) expect(name).toMatch(/^\.\/[\w-]+\.js$/)
    }
  })
})

const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Expose-Headers': 'Retry-After',
}
const GOOD = { passport: { passport_id: 1 } }
const LIMITED = { error: 'On purpose.', code: 'rate_limited', request_id: 'r' }

/** A webhook and its keys, as JSON. */
function signWebhook(): string {
  const signing = createSigningKey()
  const body = JSON.stringify({ specversion: '1.0', id: 'k-1' })
  const headers = signMessage({ id: 'k-1', body }, [signing], Date.now())
  return JSON.stringify({ headers, body, keys: [signing.secret, signing.publicKey] })
}

/** Serves failures that runtimes report in different ways, and a header that browsers hide unless it is exposed. */
function serveFaults() {
  const limited = new Set<string>()
  let runs = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    // In development mode, Bun would print the errors that this server throws.
    development: false,
    fetch({ url, method, headers: sent }) {
      if (method === 'OPTIONS') return new Response(null, { headers: HEADERS })
      const { pathname, searchParams } = new URL(url)
      const [, run = '', way] = pathname.split('/')
      if (way === 'events') return sendEvents(sent.get('Accept'), searchParams.get('after'))
      if (way === 'silent') return new Promise<Response>(() => undefined)
      if (way === 'cut') return new Response(truncatedBody(), { headers: HEADERS })
      const headers = (more: Record<string, string>) => ({ headers: { ...HEADERS, ...more } })
      if (way === 'redirect') return new Response('', { status: 302, ...headers({ Location: '/elsewhere' }) })
      // The first request of each run is rate-limited.
      if (limited.has(run)) return Response.json(GOOD, headers({}))
      limited.add(run)
      return Response.json(LIMITED, { status: 429, ...headers({ 'Retry-After': '0' }) })
    },
  })
  return {
    begin: () => `${server.url.origin}/${++runs}`,
    stop: () => server.stop(true),
  }
}

/** A stream ends after one event. */
function sendEvents(accept: string | null, after: string | null): Response {
  if (accept !== 'text/event-stream') return Response.json({ items: [], next: 'k-1' }, { headers: HEADERS })
  const id = `k-${Number(after?.slice(2)) + 1}`
  const body = `: ready\n\nid: ${id}\ndata: ${JSON.stringify({ specversion: '1.0', id })}\n\n`
  return new Response(body, { headers: { ...HEADERS, 'Content-Type': 'text/event-stream' } })
}

const truncatedBody = () =>
  new ReadableStream({
    async pull(controller) {
      controller.enqueue('{"passport":')
      await new Promise(setImmediate)
      controller.error(new Error('On purpose.'))
    },
  })
