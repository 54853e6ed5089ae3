import { expect, test } from 'bun:test'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { parseSurvivor } from '../../../src/features/mirror/v1-response.ts'
import { everyResponse } from '../../support/mirror/every-response.ts'
import { CROWD, copy, FEW, NONE, ofPassports, SOME, serveSource } from '../../support/mirror/mirror.ts'
import { plain, serveOdd } from '../../support/mirror/odd-source.ts'
import { onEveryEngine, openTestStore, saveRecords } from '../../support/store/engines.ts'
import { ADA_WALLET, credential, NOON, named, record } from '../../support/store/records.ts'

onEveryEngine('mirror', (open, engine) => {
  test('a copy serves the same responses as its source', async () => {
    const people = engine === 'sqlite' ? CROWD : FEW
    await using source = await serveSource(people)
    await using target = await open()
    const { report, progress } = await copy(target, source.url)
    expect(report).toEqual({ ...NONE, copied: people.length })
    expect(await everyResponse(target)).toEqual(await everyResponse(source.store))
    expect(progress).toEqual(people.map((_, at) => [at + 1, people.length]))
  })

  test('a second run copies only changes, with conditional requests', async () => {
    await using source = await serveSource(FEW)
    await using target = await open()
    await copy(target, source.url)
    const [one, other] = FEW as [PassportRecord, PassportRecord]
    const profile = { displayName: 'New', bio: '', location: '', tags: [] }
    const credentials = [credential('new', { score: 3 })]
    await saveRecords(source.store, [
      { ...one, profile },
      { ...other, credentials },
    ])
    expect((await copy(target, source.url)).report).toEqual({ ...NONE, copied: 2, unchanged: 3 })
    expect(await everyResponse(target)).toEqual(await everyResponse(source.store))
    source.seen.length = 0
    expect((await copy(target, source.url)).report).toEqual({ ...NONE, unchanged: 5 })
    const asked = ofPassports(source.seen)
    expect(asked.map(({ status }) => status)).toEqual(Array(10).fill(304))
    expect(asked.every(({ headers }) => headers.has('If-None-Match'))).toBe(true)
  })

  test('a source can be copied through V1 or V2, and a run with the other version requests every passport again', async () => {
    await using source = await serveSource(FEW)
    await using target = await open()
    const paths: string[] = []
    const run = (version: 1 | 2) =>
      copy(target, source.url, {
        version,
        fetch(url, init) {
          paths.push(new URL(url).pathname)
          return fetch(url, init)
        },
      })
    expect((await run(2)).report).toEqual({ ...NONE, copied: 5 })
    expect(await everyResponse(target)).toEqual(await everyResponse(source.store))
    expect(paths.filter((path) => !path.startsWith('/api/v2/'))).toEqual([])
    source.seen.length = 0
    expect((await run(2)).report).toEqual({ ...NONE, unchanged: 5 })
    expect(ofPassports(source.seen).map(({ status }) => status)).toEqual(Array(10).fill(304))
    // A run with the other version sends no ETags, because a source can use the same ETag in both.
    for (const version of [1, 2] as const) {
      source.seen.length = 0
      const { copied, unchanged } = (await run(version)).report
      expect(copied + unchanged).toBe(5)
      expect(ofPassports(source.seen).map(({ status }) => status)).toEqual(Array(10).fill(200))
    }
  })

  test('a run can move a wallet from one passport to another', async () => {
    const [high, low] = [record(1, { scores: { total: 9 } }), record(2, { mainWallet: ADA_WALLET })]
    await using source = await serveSource([high, low])
    await using target = await open()
    await copy(target, source.url)
    await saveRecords(source.store, [record(2)])
    await saveRecords(source.store, [{ ...high, mainWallet: ADA_WALLET }])
    const { report } = await copy(target, source.url, { concurrency: 1 })
    expect(report).toEqual({ ...NONE, copied: 2 })
    expect(await target.passports.find({ wallet: ADA_WALLET })).toMatchObject({ id: 1 })
  })

  test('a passport is reported as failed if its wallet belongs to a passport that is not from the source', async () => {
    await using source = await serveSource(FEW)
    await using target = await open([record(5000, { mainWallet: ADA_WALLET })])
    const { report, failures } = await copy(target, source.url)
    expect(report).toEqual({ ...NONE, copied: 4, failed: 1 })
    expect(failures).toEqual([`2007: main_wallet wallet ${ADA_WALLET} belongs to passport 5000`])
  })
})

test('a source that fails at random is copied completely', async () => {
  await using source = await serveSource(SOME, { seed: 1, rate: 0.4 })
  await using target = await openTestStore('sqlite')
  const { report } = await copy(target, source.url)
  expect(report).toEqual({ ...NONE, copied: SOME.length })
  expect(await everyResponse(target)).toEqual(await everyResponse(source.store))
  for (const count of Object.values(source.faults)) expect(count).toBeGreaterThan(0)
  const { report: again } = await copy(target, source.url)
  expect(again).toEqual({ ...NONE, unchanged: SOME.length })
})

test('a passport whose requests fail is reported with its id, and the next run copies it', async () => {
  await using source = await serveSource(FEW)
  await using target = await openTestStore('sqlite')
  const broken = async (url: string, init: RequestInit) =>
    url.endsWith('/passports/2007') ? new Response('', { status: 500 }) : fetch(url, init)
  const { report, failures } = await copy(target, source.url, { fetch: broken })
  expect(report).toEqual({ ...NONE, copied: 4, failed: 1 })
  expect(failures).toEqual([
    '2007: /api/v1/passports/2007: no valid response after 8 attempts, the last: status 500',
  ])
  expect((await copy(target, source.url)).report).toEqual({ ...NONE, copied: 1, unchanged: 4 })
})

const FIVE = [1, 2, 3, 4, 5].map((id) => named(id, `Person ${id}`, id))

onEveryEngine('merges of a mirrored source', (open) => {
  test('a run repeats the merges of the source, including chains of merges, and later runs change nothing', async () => {
    await using source = await serveSource(FIVE)
    await using target = await open()
    await copy(target, source.url)
    await source.store.passports.merge(1, 2)
    expect((await copy(target, source.url)).report).toEqual({ ...NONE, merged: 1, unchanged: 4 })
    expect(await target.passports.find({ id: 1 })).toMatchObject({ id: 2, merged: true })
    expect(await everyResponse(target)).toEqual(await everyResponse(source.store))
    // This makes a chain: 1 is merged into 2, and 2 into 3.
    await source.store.passports.merge(2, 3)
    expect((await copy(target, source.url)).report).toMatchObject({ merged: 1, gone: 0, failed: 0 })
    expect(await everyResponse(target)).toEqual(await everyResponse(source.store))
    expect((await copy(target, source.url)).report).toEqual({ ...NONE, unchanged: 5 })
    expect(await target.passports.listMerged(2)).toEqual([1])
    expect(await target.passports.listMerged(3)).toEqual([2])
  })

  test('a run undoes merges that the source has undone, but not merges that were made only in the copy', async () => {
    await using source = await serveSource(FIVE)
    await using target = await open()
    await copy(target, source.url)
    await target.passports.merge(4, 5)
    await source.store.passports.merge(1, 2)
    await copy(target, source.url)
    await source.store.passports.unmerge(1)
    expect((await copy(target, source.url)).report).toMatchObject({ failed: 0, gone: 0, merged: 0 })
    expect(await target.passports.find({ id: 1 })).toMatchObject({ id: 1 })
    expect(await target.passports.find({ id: 4 })).toMatchObject({ id: 5 })
    expect((await copy(target, source.url)).report).toEqual({ ...NONE, unchanged: 5 })
  })

  test('a run can move a wallet from a merged passport to its survivor', async () => {
    await using source = await serveSource([record(1, { mainWallet: ADA_WALLET }), record(2)])
    await using target = await open()
    await copy(target, source.url)
    await source.store.passports.merge(1, 2)
    await saveRecords(source.store, [record(2, { mainWallet: ADA_WALLET })])
    const { report, failures } = await copy(target, source.url)
    expect({ report, failures }).toEqual({ report: { ...NONE, merged: 1, copied: 1 }, failures: [] })
    expect(await target.passports.find({ wallet: ADA_WALLET })).toMatchObject({
      id: 2,
      mainWallet: ADA_WALLET,
    })
  })

  test.each<[string, (target: Store) => unknown, object, string[], number | undefined]>([
    [
      'a merge at the source that contradicts a merge in the copy is reported as failed',
      (target) => target.passports.merge(1, 3),
      { failed: 1 },
      ['1: it is merged into passport 3 here, but into passport 2 at the source'],
      3,
    ],
    [
      'a passport whose survivor was merged in the copy redirects to the last survivor',
      (target) => target.passports.merge(2, 3),
      { merged: 1 },
      [],
      3,
    ],
    [
      'a merge into a passport that was removed from the copy is reported as failed',
      (target) => target.passports.remove(2, NOON),
      { removed: 1, failed: 1 },
      ['1: the source has merged it into passport 2, which was not copied'],
      1,
    ],
    [
      'a merge of a passport that was removed from the copy is ignored',
      (target) => target.passports.remove(1, NOON),
      {},
      [],
      undefined,
    ],
  ])('%s', async (_, changeHere, expected, expectedFailures, leadsTo) => {
    await using source = await serveSource(FIVE)
    await using target = await open()
    await copy(target, source.url)
    await changeHere(target)
    await source.store.passports.merge(1, 2)
    const { report, failures } = await copy(target, source.url)
    expect({ ...NONE, ...expected }).toMatchObject({ ...report, copied: 0, unchanged: 0 })
    expect(failures).toEqual(expectedFailures)
    expect((await target.passports.find({ id: 1 }))?.id).toBe(leadsTo)
  })
})

test('a passport that the source lists is not merged, even if the source responds with another passport', async () => {
  let isWrong = false
  const list = () => ({ passports: [1, 2, 3].map((passport_id) => ({ passport_id })) })
  await using source = serveOdd({ list, passport: (id) => plain(isWrong ? 1 : id) })
  await using target = await openTestStore('sqlite')
  await copy(target, source.url)
  isWrong = true
  expect((await copy(target, source.url, { prune: 'all' })).report).toEqual({
    ...NONE,
    unchanged: 1,
    gone: 2,
  })
  for (const id of [1, 2, 3]) expect(await target.passports.find({ id })).toMatchObject({ id })
})

test('a passport is not merged into a survivor that was not copied from the source', async () => {
  let ids = [1, 2, 3]
  const list = () => ({ passports: ids.map((passport_id) => ({ passport_id })) })
  await using source = serveOdd({ list, passport: (id) => plain(ids.length === 3 ? id : 9) })
  await using target = await openTestStore('sqlite', [record(9)])
  await copy(target, source.url)
  ids = []
  const { report, failures } = await copy(target, source.url, { prune: 'all' })
  expect(report).toEqual({ ...NONE, failed: 3 })
  expect(failures.sort()[0]).toBe('1: the source has merged it into passport 9, which was not copied')
})

test.each([
  [{ passport: { passport_id: 7 } }, '', 7],
  [{ passport: { passport_id: '8' } }, '/api/v1/passports/9', 8],
  [{ passport: { passport_id: 7 } }, '/api/v1/passports/9', 9],
  [{ passport: {} }, 'https://example.com/api/v2/passports/9', 9],
  [{ passport: { passport_id: 7 } }, '/api/v1/passports/0xab', 7],
  [null, '/api/v1/passports/7', 7],
])('passport 7 with body %j and Content-Location %p has the survivor %d', (body, location, survivor) => {
  expect(parseSurvivor(body, location, 7)).toBe(survivor)
})
