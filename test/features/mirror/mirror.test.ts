import { expect, test } from 'bun:test'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import { everyResponse } from '../../support/mirror/every-response.ts'
import { CROWD, copy, FEW, NONE, ofPassports, SOME, serveSource } from '../../support/mirror/mirror.ts'
import { onEveryEngine, openTestStore, saveRecords } from '../../support/store/engines.ts'
import { ADA_WALLET, credential, record } from '../../support/store/records.ts'

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
