import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createLiveIndex, type FacetStore } from '../../src/catalog/live-index.ts'
import { buildSnapshot } from '../../src/catalog/snapshot.ts'
import { parseFilter } from '../../src/domain/lists/filter.ts'
import { type GroupField, type ListRequest, parseSort } from '../../src/domain/lists/list-request.ts'
import { adoptRules } from '../../src/scoring/rescore.ts'
import type { Store } from '../../src/store/store.ts'
import { snapshotOf } from '../support/store/catalog.ts'
import { onEngine, onEveryEngine, saveRecords } from '../support/store/engines.ts'
import { groupNaively, listNaively } from '../support/store/naive-list.ts'
import { step, take } from '../support/store/random-histories.ts'
import { named, record } from '../support/store/records.ts'
import { scorerOf } from '../support/store/scoring.ts'

const requestOf = (filter: string, sort = '-score', groupBy?: GroupField): ListRequest => ({
  keyword: undefined,
  filter: filter === '' ? [] : parseFilter(filter),
  sort: parseSort(sort),
  groupBy,
  after: undefined,
  limit: 250,
})

const REQUESTS = [
  requestOf('human:true', '-score', 'type'),
  requestOf('type:github|ens,score:>5', 'passport_id', 'human'),
  requestOf('type:!github', '-identity_score', 'rules'),
  requestOf('', 'skills_score', 'type'),
]

/** Calls `before` each time facets are read. */
const onRead = (store: Store, before: (ids: readonly number[]) => unknown): FacetStore => ({
  listing: store.listing,
  facets: {
    async list(ids) {
      await before(ids)
      return store.facets.list(ids)
    },
  },
})

onEveryEngine('a live index', (open, engine) => {
  test('has the same lists, totals and groups as a naive evaluation, after a random history', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        await using store = await open()
        const scorer = scorerOf(store)
        await adoptRules(scorer)
        const snapshot = await buildSnapshot(store.listing)
        const index = createLiveIndex(store)
        for (const each of steps) {
          await take(store, scorer, each)
          const all = await store.facets.list(Array.from({ length: 10 }, (_, id) => id))
          for (const request of REQUESTS) {
            const expected = listNaively(all, request)
            const { ids, total, grouped } = await index.find(snapshot, request)
            expect(ids).toEqual(expected.map(({ id }) => id))
            expect(total).toBe(expected.length)
            expect(grouped?.groups).toEqual(groupNaively(expected, request.groupBy as GroupField))
          }
        }
      }),
      { numRuns: engine === 'sqlite' ? 5 : 1, seed: 1815 },
    )
  })

  test('that was built from an old snapshot has the changes since', async () => {
    await using store = await open(Array.from({ length: 120 }, (_, id) => record(id)))
    const snapshot = await buildSnapshot(store.listing)
    await saveRecords(store, [record(7, { human: true }), record(5000, { human: true })])
    await store.passports.remove(1, 0)
    const index = createLiveIndex(store)
    expect(await index.find(snapshot, requestOf('human:true'))).toMatchObject({ ids: [7, 5000], total: 2 })
    expect((await index.find(snapshot, requestOf('human:false'))).total).toBe(118)
  })

  test('is built from a new snapshot if the changes since the given one are unknown', async () => {
    await using store = await open([record(1, { human: true })])
    const cursor = engine === 'sqlite' ? '999' : '999:999:999'
    const unknown = { ...(await snapshotOf([{ id: 9, score: 0, name: '' }])), cursor }
    const { ids } = await createLiveIndex(store).find(unknown, requestOf('human:true'))
    expect(ids).toEqual([1])
  })
})

onEngine('sqlite', 'a live index', (open) => {
  test('reads changes once for each cursor, and always without a cursor', async () => {
    await using store = await open([record(1, { human: true })])
    const snapshot = await buildSnapshot(store.listing)
    const index = createLiveIndex(store)
    const total = async (cursor?: string) =>
      (await index.find(snapshot, requestOf('human:true'), cursor)).total
    expect(await total()).toBe(1)
    expect(await total('one')).toBe(1)
    await saveRecords(store, [record(2, { human: true })])
    expect(await total('one')).toBe(1)
    expect(await total('two')).toBe(2)
    await saveRecords(store, [record(3, { human: true })])
    expect(await total('two')).toBe(2)
    expect(await total()).toBe(3)
  })

  test('is replaced by a new one after many changes', async () => {
    const all = (total: number) => Array.from({ length: 1000 }, (_, id) => named(id, '', total))
    await using store = await open(all(0))
    const snapshot = await buildSnapshot(store.listing)
    let read = 0
    const index = createLiveIndex(
      onRead(store, (ids) => {
        read += ids.length
      }),
    )
    const find = () => index.find(snapshot, requestOf('score:>=0', 'passport_id'))
    for (let round = 1; round <= 12; round++) {
      await saveRecords(store, all(round))
      await find()
    }
    // The first index, 12 rounds of changes, and the new index.
    while (read < 14_000) {
      expect((await find()).total).toBe(1000)
      await new Promise(setImmediate)
    }
    await saveRecords(store, [named(5, '', 99)])
    expect(await index.find(snapshot, requestOf('score:99'))).toMatchObject({ ids: [5], total: 1 })
  })

  test('responds to the next request after a failure of the store', async () => {
    await using store = await open([record(1, { human: true })])
    const snapshot = await buildSnapshot(store.listing)
    let failures = 1
    const index = createLiveIndex(
      onRead(store, () => {
        if (failures-- > 0) throw new Error('on purpose')
      }),
    )
    await expect(index.find(snapshot, requestOf('human:true'))).rejects.toThrow('on purpose')
    expect((await index.find(snapshot, requestOf('human:true'))).ids).toEqual([1])
  })

  test('is built in the background; meanwhile, lists of many passports are rejected with the progress', async () => {
    await using store = await open(Array.from({ length: 300 }, (_, id) => record(id, { human: true })))
    const snapshot = await buildSnapshot(store.listing)
    const held = Promise.withResolvers<void>()
    let reads = 0
    const index = createLiveIndex(
      onRead(store, async () => {
        if (++reads === 3) await held.promise
      }),
      { mostAwaited: 299 },
    )
    index.follow(snapshot)
    await until(() => reads === 3)
    await expect(index.find(snapshot, requestOf('human:true'))).rejects.toMatchObject({
      code: 'not_ready',
      message: 'The index for filters is being built: 33 % done. Try again shortly.',
    })
    held.resolve()
    let total: number | undefined
    while (total === undefined) {
      await new Promise(setImmediate)
      total = (await index.find(snapshot, requestOf('human:true')).catch(() => undefined))?.total
    }
    expect(total).toBe(300)
    expect(reads).toBe(3)
  })

  test('follows snapshots without a request, and reports failures', async () => {
    await using store = await open([record(1, { human: true })])
    const failures: string[] = []
    const read: number[][] = []
    const index = createLiveIndex(
      onRead(store, (ids) => {
        read.push([...ids])
        if (read.length === 1) throw new Error('on purpose')
      }),
      { onFailure: (error) => failures.push((error as Error).message) },
    )
    index.follow(await buildSnapshot(store.listing))
    await until(() => failures.length === 1)
    expect(failures).toEqual(['on purpose'])
    index.follow(await buildSnapshot(store.listing))
    await until(() => read.length === 2)
    await saveRecords(store, [record(2, { human: true })])
    const snapshot = await buildSnapshot(store.listing)
    await until(() => {
      index.follow(snapshot)
      return read.length === 3
    })
    expect(read).toEqual([[1], [1], [2]])
    expect((await index.find(snapshot, requestOf('human:true'), snapshot.cursor)).ids).toEqual([1, 2])
    expect(failures).toHaveLength(1)
  })

  test('is replaced by a new one after a passport was removed, at the first update after some time', async () => {
    await using store = await open([record(1, { human: true }), record(2, { human: true })])
    const snapshot = await buildSnapshot(store.listing)
    const read: number[][] = []
    const index = createLiveIndex(
      onRead(store, (ids) => {
        read.push([...ids])
      }),
      { longestUnused: 0 },
    )
    await index.find(snapshot, requestOf('human:true'))
    await store.passports.remove(1, 0)
    expect((await index.find(snapshot, requestOf('human:true'))).ids).toEqual([2])
    // The first index, the removed passport, and the new index, which is read without a request.
    await until(() => read.length === 3)
    expect(read).toEqual([[1, 2], [1], [2]])
    expect((await index.find(snapshot, requestOf('human:true'))).ids).toEqual([2])
  })

  test('a build ends without a failure when the service stops', async () => {
    await using store = await open(Array.from({ length: 300 }, (_, id) => record(id, { human: true })))
    const ending = new AbortController()
    const failures: unknown[] = []
    let reads = 0
    const index = createLiveIndex(
      onRead(store, () => {
        reads++
        ending.abort()
      }),
      { signal: ending.signal, onFailure: (error) => failures.push(error) },
    )
    const snapshot = await buildSnapshot(store.listing)
    await expect(index.find(snapshot, requestOf('human:true'))).rejects.toThrow('aborted')
    expect({ reads, failures }).toEqual({ reads: 1, failures: [] })
  })
})

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate)
}
