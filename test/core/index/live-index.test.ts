import { expect, test } from 'bun:test'
import { createLiveIndex } from '../../../src/core/index/live-index.ts'
import type { GroupField, ListRequest } from '../../../src/core/lists/list-request.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { buildSnapshot, snapshotOf } from '../../support/store/catalog.ts'
import { onBothEngines, onEngine, saveRecords } from '../../support/store/engines.ts'
import {
  fromStored,
  groupNaively,
  listNaively,
  parseFilter,
  parseSort,
} from '../../support/store/naive-list.ts'
import { checkHistories } from '../../support/store/random-histories.ts'
import { named, record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

const requestOf = (filter: string, sort = '-score', groupBy?: GroupField): ListRequest => ({
  filter: filter === '' ? [] : parseFilter(filter),
  sort: parseSort(sort),
  groupBy,
  limit: 250,
})

const REQUESTS = [
  requestOf('human:true', '-score', 'type'),
  requestOf('type:github|ens,score:>5', 'passport_id', 'human'),
  requestOf('type:!github', '-identity_score', 'rules'),
  requestOf('', 'skills_score', 'type'),
]

const human = (id: number) => record(id, { human: true })

/** `onRead` is called each time before facets are read. */
async function followStore(
  store: Store,
  onRead: (ids: readonly number[]) => unknown = () => undefined,
  options: Parameters<typeof createLiveIndex>[1] = {},
) {
  const list = async (ids: readonly number[]) => {
    await onRead(ids)
    return store.listing.listFacets(ids)
  }
  const snapshot = await buildSnapshot(store.listing)
  const index = createLiveIndex({ listing: { ...store.listing, listFacets: list } }, options)
  const find = (filter = 'human:true', cursor?: string) => index.find(snapshot, requestOf(filter), cursor)
  return { index, snapshot, find }
}

onBothEngines('a live index', (open, engine) => {
  test('the index gives the same lists, totals and groups as a naive evaluation, after a random history', () =>
    checkHistories(open, engine, async (store) => {
      const snapshot = await buildSnapshot(store.listing)
      const index = createLiveIndex(store)
      return async () => {
        const stored = await store.listing.listFacets(Array.from({ length: 10 }, (_, id) => id))
        const all = stored.map(fromStored)
        for (const request of REQUESTS) {
          const expected = listNaively(all, request)
          const { ids, total, grouped } = await index.find(snapshot, request)
          expect(ids).toEqual(expected.map(({ id }) => id))
          expect(total).toBe(expected.length)
          expect(grouped?.groups).toEqual(groupNaively(expected, request.groupBy as GroupField))
        }
      }
    }))

  test('an index that is built from an old snapshot includes later changes', async () => {
    await using store = await open(Array.from({ length: 120 }, (_, id) => record(id)))
    const snapshot = await buildSnapshot(store.listing)
    await saveRecords(store, [record(7, { human: true }), record(5000, { human: true })])
    await store.passports.remove(1, 0)
    const index = createLiveIndex(store)
    expect(await index.find(snapshot, requestOf('human:true'))).toMatchObject({ ids: [7, 5000], total: 2 })
    expect((await index.find(snapshot, requestOf('human:false'))).total).toBe(118)
  })

  test('the index is built from a new snapshot if the changes since the given snapshot are unknown', async () => {
    await using store = await open([human(1)])
    const cursor = engine === 'sqlite' ? '999' : '999:999:999'
    const unknown = { ...(await snapshotOf([{ id: 9, score: 0, name: '' }])), cursor }
    const { ids } = await createLiveIndex(store).find(unknown, requestOf('human:true'))
    expect(ids).toEqual([1])
  })
})

onEngine('sqlite', 'a live index', (open) => {
  test('a list request without a cursor always reads the latest changes, and a repeated cursor reads none', async () => {
    await using store = await open([human(1)])
    const { find } = await followStore(store)
    const total = async (cursor?: string) => (await find('human:true', cursor)).total
    expect(await total()).toBe(1)
    expect(await total('one')).toBe(1)
    await saveRecords(store, [human(2)])
    expect(await total('one')).toBe(1)
    expect(await total('two')).toBe(2)
    await saveRecords(store, [human(3)])
    expect(await total('two')).toBe(2)
    expect(await total()).toBe(3)
  })

  test('a new index replaces the old one after many changes', async () => {
    const all = (total: number) => Array.from({ length: 1000 }, (_, id) => named(id, '', total))
    await using store = await open(all(0))
    let read = 0
    const { find } = await followStore(store, (ids) => {
      read += ids.length
    })
    for (let round = 1; round <= 12; round++) {
      await saveRecords(store, all(round))
      await find('score:>=0')
    }
    // The first index reads 1,000 passports, the changes read 12,000, and the new index reads 1,000.
    while (read < 14_000) {
      expect((await find('score:>=0')).total).toBe(1000)
      await new Promise(setImmediate)
    }
    await saveRecords(store, [named(5, '', 99)])
    expect(await find('score:99')).toMatchObject({ ids: [5], total: 1 })
  })

  test('after a request failed because of the store, the next request succeeds', async () => {
    await using store = await open([human(1)])
    let failures = 1
    const { find } = await followStore(store, () => {
      if (failures-- > 0) throw new Error('on purpose')
    })
    await expect(find()).rejects.toThrow('on purpose')
    expect((await find()).ids).toEqual([1])
  })

  test('while a large index is built in the background, list requests are rejected with its progress', async () => {
    await using store = await open(Array.from({ length: 600 }, (_, id) => human(id)))
    const held = Promise.withResolvers<void>()
    let reads = 0
    const onRead = async () => {
      if (++reads === 3) await held.promise
    }
    const { index, snapshot, find } = await followStore(store, onRead, { mostAwaited: 599 })
    index.follow(snapshot)
    await until(() => reads === 3)
    await expect(find()).rejects.toMatchObject({
      code: 'not_ready',
      message: 'The index for filters is being built: 41 % done. Try again shortly.',
    })
    held.resolve()
    let total: number | undefined
    while (total === undefined) {
      await new Promise(setImmediate)
      total = (await find().catch(() => undefined))?.total
    }
    expect(total).toBe(600)
    expect(reads).toBe(3)
  })

  test('the index is built and updated in the background, and failures are reported', async () => {
    await using store = await open([human(1)])
    const failures: string[] = []
    const read: number[][] = []
    const onRead = (ids: readonly number[]) => {
      read.push([...ids])
      if (read.length === 1) throw new Error('on purpose')
    }
    const onFailure = (error: unknown) => failures.push((error as Error).message)
    const { index, snapshot: first } = await followStore(store, onRead, { onFailure })
    index.follow(first)
    await until(() => failures.length === 1)
    expect(failures).toEqual(['on purpose'])
    index.follow(first)
    await until(() => read.length === 2)
    await saveRecords(store, [human(2)])
    const snapshot = await buildSnapshot(store.listing)
    await until(() => {
      index.follow(snapshot)
      return read.length === 3
    })
    expect(read).toEqual([[1], [1], [2]])
    expect((await index.find(snapshot, requestOf('human:true'), snapshot.cursor)).ids).toEqual([1, 2])
    expect(failures).toHaveLength(1)
  })

  test('an old index that still holds a removed passport is replaced by a new one at the next update', async () => {
    await using store = await open([human(1), human(2)])
    const read: number[][] = []
    const onRead = (ids: readonly number[]) => read.push([...ids])
    const { find } = await followStore(store, onRead, { longestUnused: 0 })
    await find()
    await store.passports.remove(1, 0)
    expect((await find()).ids).toEqual([2])
    // The store is read for the first index, for the removal, and for the new index, built in the background.
    await until(() => read.length === 3)
    expect(read).toEqual([[1, 2], [1], [2]])
    expect((await find()).ids).toEqual([2])
  })

  test('a build that ends because the service stops is not reported as a failure', async () => {
    await using store = await open(Array.from({ length: 300 }, (_, id) => human(id)))
    const ending = new AbortController()
    const failures: unknown[] = []
    let reads = 0
    const onRead = () => {
      reads++
      ending.abort()
    }
    const onFailure = (error: unknown) => failures.push(error)
    const { find } = await followStore(store, onRead, { signal: ending.signal, onFailure })
    await expect(find()).rejects.toThrow('aborted')
    expect({ reads, failures }).toEqual({ reads: 1, failures: [] })
  })
})
