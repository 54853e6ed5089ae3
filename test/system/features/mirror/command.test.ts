import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { version } from '../../../../package.json'
import { callHere } from '../../../support/cli-in-process.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { formatKey, KEY_RANDOM_BYTES } from '../../../support/http/keys.ts'
import { everyResponse } from '../../../support/mirror/every-response.ts'
import { serveSource } from '../../../support/mirror/mirror.ts'
import { serveOdd } from '../../../support/mirror/odd-source.ts'
import { owning } from '../../../support/owning.ts'
import { type MakeDatabase, withEngine } from '../../../support/store/engines.ts'
import { inventPeople } from '../../../support/store/invented-people.ts'
import { apiKey, NOON } from '../../../support/store/records.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

const FAST = ['--rate', '100000', '--concurrency', '32']
const PEOPLE = inventPeople().slice(0, 50)

/** A service with these records behind a proxy, and a new database for the copy. */
async function prepare(makeDatabase: MakeDatabase, ...given: Parameters<typeof serveSource>) {
  const proxy = await serveSource(...given)
  const here = await workplace(makeDatabase)
  const mirror = (...args: string[]) => here.call('mirror', proxy.url, ...FAST, ...args)
  return owning({ ...here, store: proxy.store, proxy, mirror }, here, proxy)
}

withEngine('sqlite', 'mirror', (makeDatabase) => {
  test('a mirror that is stopped says how to continue', async () => {
    await using given = await prepare(makeDatabase, PEOPLE, { stallAfter: 20 })
    const child = given.start('mirror', given.proxy.url, ...FAST)
    await given.proxy.stalled
    child.kill('SIGTERM')
    const err = await new Response(child.stderr).text()
    expect(err).toBe('passportd: Stopped. Run the command again to continue.\n')
    expect(await child.exited).toBe(1)
  })

  test('passports that are gone at the source are named, and --prune removes them', async () => {
    await using given = await prepare(makeDatabase, PEOPLE)
    await given.mirror()
    const ids = (await given.store.records.list(-1, 100)).map(({ id }) => id)
    for (const id of ids.slice(0, 22)) await given.store.passports.remove(id, NOON)
    expect(await given.mirror()).toEqual({
      out: '',
      err: `Gone at the source, kept here: ${ids.slice(0, 20).join(', ')} and 2 more.\n0 copied, 28 unchanged, 22 gone, 0 failed.\n`,
      code: 0,
    })
    await given.store.passports.merge(ids[22] as number, ids[23] as number)
    expect(await given.mirror('--prune')).toEqual({
      out: '',
      err: '0 copied, 27 unchanged, 0 gone, 0 failed, 1 merged, 22 pruned.\n',
      code: 0,
    })
    await using copy = await given.open()
    expect(await everyResponse(copy)).toEqual(await everyResponse(given.store))
  })

  test('--restore copies removed passports again, and only --prune-all removes more than half of the copies', async () => {
    await using given = await prepare(makeDatabase, PEOPLE.slice(0, 3))
    await given.mirror()
    await given.call('remove', '2', '--yes')
    const skipped = ', 1 of removed passports skipped (--restore accepts them).\n'
    expect((await given.mirror()).err).toEndWith(skipped)
    expect((await given.mirror('--restore')).err).toStartWith('1 copied, 2 unchanged')
    for (const id of [1, 2]) await given.store.passports.remove(id, NOON)
    expect(await given.mirror('--prune')).toMatchObject({
      err: expect.stringContaining('Nothing was removed: 2 of 3 copied passports are gone'),
      code: 1,
    })
    expect(await given.mirror('--prune-all')).toMatchObject({
      err: '0 copied, 1 unchanged, 0 gone, 0 failed, 2 pruned.\n',
      code: 0,
    })
  })

  test('the key comes from --key or MIRROR_KEY, and is never printed', async () => {
    await using given = await prepare(makeDatabase, PEOPLE.slice(0, 3), { requireKey: true })
    const { env, proxy } = given
    const { id, key } = formatKey(new Uint8Array(KEY_RANDOM_BYTES))
    await given.store.keys.create(apiKey(id, { hash: createHash('sha256').update(key).digest() }))
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
    const second = await callHere(['mirror', proxy.url, ...FAST], { env: { ...env, MIRROR_KEY: key } })
    expect(second).toEqual({ out: '', err: '0 copied, 3 unchanged, 0 gone, 0 failed.\n', code: 0 })
    const sent = proxy.seen.map(({ headers }) => `${headers.get('X-API-KEY')} ${headers.get('User-Agent')}`)
    expect([...new Set(sent)]).toEqual([`${key} passportd/${version} (mirror)`])
  })
})

// These tests run concurrently, because they mostly wait.
describe.concurrent('sources', () => {
  test.each([
    ['', '/api/v1/'],
    ['/', '/api/v1/'],
    ['/api/v1', '/api/v1/'],
    ['/api/v1/passports?page=2', '/api/v1/'],
    ['/api/v2', '/api/v2/'],
    ['/api/v2/', '/api/v2/'],
    ['/api/v2/passports/7', '/api/v2/'],
    ['/sub/api/v2', '/sub/api/v2/'],
  ])('if the URL of the source ends with %p, mirror reads only paths below %s', async (given, prefix) => {
    await using source = serveOdd({ list: () => ({ passports: [{ passport_id: 7 }] }) })
    expect(await mirror(source.url + given)).toMatchObject({ code: 0 })
    expect(source.paths.length).toBeGreaterThan(2)
    for (const path of source.paths) expect(path).toStartWith(prefix)
  })
})

async function mirror(url: string) {
  using folder = tempFolder()
  return await callHere(['mirror', url], { env: { DATABASE_URL: `sqlite:${folder.path}/copy.db` } })
}
