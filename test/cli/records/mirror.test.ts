import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { version } from '../../../package.json'
import { formatKey, KEY_RANDOM_BYTES } from '../../../src/domain/api-key.ts'
import type { PassportRecord } from '../../../src/domain/record.ts'
import { inventPeople } from '../../../src/ingest/demo/people.ts'
import { run } from '../../support/cli.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { everyAnswer } from '../../support/http/every-response.ts'
import { answer, faultyProxy, serveRaw } from '../../support/http/faulty-proxy.ts'
import { serveTest } from '../../support/http/server.ts'
import { type MakeDatabase, openTestStore, withEngine, withEveryEngine } from '../../support/store/engines.ts'
import { NOON } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { callHere } from '../../support/terminal.ts'

const FAST = ['--rate', '100000', '--concurrency', '32']
const PEOPLE = inventPeople().slice(0, 100)

type Options = Parameters<typeof faultyProxy>[1] & { requireKey?: boolean }

/** A service with these records behind a proxy, and a new database for the copy. */
async function prepare(
  makeDatabase: MakeDatabase,
  records: readonly PassportRecord[],
  { requireKey = false, ...faults }: Options = {},
) {
  const store = await openTestStore('sqlite', records)
  const server = serveTest(store, { requireKey })
  const proxy = await faultyProxy(server.url, faults)
  const here = await workplace(makeDatabase)
  return {
    ...here,
    store,
    proxy,
    mirror: (...args: string[]) => here.run('mirror', proxy.url, ...FAST, ...args),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      await here[Symbol.asyncDispose]()
    },
  }
}

withEveryEngine('mirror', (makeDatabase) => {
  test('a mirror that is killed continues when it is run again', async () => {
    // The list and fifty passports, two requests each.
    await using given = await prepare(makeDatabase, PEOPLE, { stallAfter: 101 })
    const child = given.start('mirror', given.proxy.url, ...FAST, '--concurrency', '1')
    await given.proxy.stalled
    child.kill('SIGKILL')
    await child.exited
    given.proxy.flow()
    await using copy = await given.open()
    expect(await copy.records.list(-1, 100)).toHaveLength(50)
    given.proxy.seen.length = 0
    expect(await given.mirror()).toMatchObject({
      err: '50 copied, 0 unchanged, 0 gone, 0 failed.\n',
      code: 0,
    })
    expect(given.proxy.seen.filter(({ path }) => !path.includes('?page='))).toHaveLength(100)
    expect(await everyAnswer(copy)).toEqual(await everyAnswer(given.store))
    expect((await given.mirror()).err).toBe('0 copied, 100 unchanged, 0 gone, 0 failed.\n')
  })

  test('a mirror that is stopped says how to continue', async () => {
    await using given = await prepare(makeDatabase, PEOPLE, { stallAfter: 20 })
    const child = given.start('mirror', given.proxy.url, ...FAST)
    await given.proxy.stalled
    child.kill('SIGTERM')
    const err = await new Response(child.stderr).text()
    expect(err).toBe('passportd: Stopped. Run the command again to continue.\n')
    expect(await child.exited).toBe(1)
  })

  test('passports that were removed here are skipped without --restore', async () => {
    await using given = await prepare(makeDatabase, PEOPLE.slice(0, 3))
    await given.mirror()
    await given.run('remove', '2', '--yes')
    expect((await given.mirror()).err).toBe(
      '0 copied, 2 unchanged, 0 gone, 0 failed, 1 of removed passports skipped (--restore accepts them).\n',
    )
    expect((await given.mirror('--restore')).err).toBe('1 copied, 2 unchanged, 0 gone, 0 failed.\n')
  })
})

withEngine('sqlite', 'mirror, whatever the database', (makeDatabase) => {
  test('the key comes from --key or MIRROR_KEY, and is never printed', async () => {
    await using given = await prepare(makeDatabase, PEOPLE.slice(0, 3), { requireKey: true })
    const { cwd, env, proxy } = given
    const { id, key } = formatKey(new Uint8Array(KEY_RANDOM_BYTES))
    const hash = createHash('sha256').update(key).digest()
    await given.store.keys.create({ id, name: 'copier', hash, tier: 'standard', owner: '', createdAt: NOON })
    for (const wrong of [[], ['--key', 'ppd_wrong'], ['--key', '']]) {
      expect(await given.mirror(...wrong)).toEqual({
        out: '',
        err: `passportd: ${proxy.url} rejected the request (401). Pass a valid API key.\n`,
        code: 1,
      })
    }
    proxy.seen.length = 0
    const first = await given.mirror('--key', key)
    expect(first).toEqual({ out: '', err: '3 copied, 0 unchanged, 0 gone, 0 failed.\n', code: 0 })
    const second = await run(['mirror', proxy.url, ...FAST], { cwd, env: { ...env, MIRROR_KEY: key } })
    expect(second).toEqual({ out: '', err: '0 copied, 3 unchanged, 0 gone, 0 failed.\n', code: 0 })
    const sent = proxy.seen.map(({ headers }) => `${headers.get('X-API-KEY')} ${headers.get('User-Agent')}`)
    expect([...new Set(sent)]).toEqual([`${key} passportd/${version} (mirror)`])
  })
})

// Concurrent: these tests mostly wait.
describe.concurrent('a source', () => {
  test.each<[string, Parameters<typeof serveRaw>[0], string]>([
    [
      'moved',
      (socket) => answer(socket, 308, { Location: 'https://new.test/api/v1/passports?page=1' }, ''),
      ' redirects to https://new.test/api/v1/passports (308). Use that URL.',
    ],
    [
      'is a web site',
      (socket) => answer(socket, 200, {}, '<html>'),
      `: no valid response after 3 attempts, the last: JSON Parse error: Unrecognized token '<'. Check the URL.`,
    ],
  ])('that %s is reported in one sentence', async (_, respond, sentence) => {
    await using source = await serveRaw(respond)
    expect(await mirror(`${source.url}/api/v1/`)).toEqual({
      out: '',
      err: `passportd: ${source.url}${sentence}\n`,
      code: 1,
    })
  })

  test('a source cannot send control characters to the terminal', async () => {
    await using source = await serveRaw((socket) => answer(socket, 200, {}, '\x1b[2J'))
    const { err, code } = await mirror(source.url)
    expect(code).toBe(1)
    expect(err).toContain("Unrecognized token '\ufffd'")
    expect(err).not.toMatch(/[^\n\P{Cc}]/u)
  })

  test('that is unavailable is reported in one sentence', async () => {
    const { err, code } = await mirror('http://127.0.0.1:1')
    expect(err).toMatch(
      /^passportd: http:\S+ no valid response after 3 attempts, the last: .+ Check the URL\.\n$/,
    )
    expect(code).toBe(1)
  })
})

async function mirror(url: string) {
  using folder = tempFolder()
  return await callHere(['mirror', url], { env: { DATABASE_URL: `sqlite:${folder.path}/copy.db` } })
}
