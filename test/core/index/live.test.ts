import { expect, test } from 'bun:test'
import {
  findInLiveIndex,
  isOutdated,
  openLiveIndex,
  type SavedCopy,
  updateIndex,
} from '../../../src/core/index/live.ts'
import { fromRow, parseFilter, parseSort } from '../../support/index/facets.ts'
import { saveLiveIndex } from '../../support/index/local-index.ts'
import { findNaively } from '../../support/index/naive-index.ts'
import { onBothEngines, onEngine, saveRecords, type TestStore } from '../../support/store/engines.ts'
import { checkHistories } from '../../support/store/random-histories.ts'
import { named, record } from '../../support/store/records.ts'

type Store = Pick<TestStore, 'listing'>

const requestOf = (filter: string, sort = '-score') => ({
  filter: filter === '' ? [] : parseFilter(filter),
  sort: parseSort(sort),
  groups: [{ field: 'type' as const }],
  limit: 250,
})

const REQUESTS = [
  requestOf('human:true'),
  requestOf('type:github|ens,score:>5', 'passport_id'),
  requestOf('type:!github', '-identity_score'),
  requestOf('', '-points:github'),
]

/** A copy in memory. */
function createCopy(): SavedCopy & { chunks: Uint8Array[] } {
  const copy = {
    chunks: [] as Uint8Array[],
    async *read() {
      yield* copy.chunks
    },
    async write(list: () => Promise<Iterable<Uint8Array>>) {
      copy.chunks = [...(await list())]
      return true
    },
  }
  return copy
}

/** Counts the passports that are read. */
function countReads({ listing }: Store) {
  const reads = { count: 0 }
  const listRows = (ids: readonly number[]) => {
    reads.count += ids.length
    return listing.listRows(ids)
  }
  return { reads, listing: { ...listing, listRows } }
}

onBothEngines('a live index', (open, engine) => {
  test('its lists are equal to a naive evaluation after a random history, also after a save and a load', () =>
    checkHistories(open, engine, async (store) => {
      const copy = createCopy()
      let live = await openLiveIndex(store, copy)
      return async () => {
        await updateIndex(live)
        const stored = await store.listing.listRows(Array.from({ length: 10 }, (_, id) => id))
        const all = stored.map(fromRow)
        for (const request of REQUESTS) {
          const { cursor, ...page } = await findInLiveIndex(live, request)
          expect(page).toEqual({ ...findNaively(all, request), standings: [] })
        }
        await saveLiveIndex(live)
        live = await openLiveIndex(store, copy)
      }
    }))

  test('a start with a saved copy reads only the passports that changed since', async () => {
    await using store = await open(Array.from({ length: 30 }, (_, id) => record(id)))
    const copy = createCopy()
    await saveLiveIndex(await openLiveIndex(store, copy))
    await saveRecords(store, [record(3, { human: true })])
    await store.passports.remove(4, 0)
    const { reads, listing } = countReads(store)
    const live = await openLiveIndex({ ...store, listing }, copy)
    expect(reads.count).toBe(2)
    expect((await findInLiveIndex(live, requestOf(''))).total).toBe(29)
    expect((await findInLiveIndex(live, requestOf('human:true'))).ids).toEqual([3])
  })
})

onEngine('sqlite', 'a live index', (open) => {
  test('a list with the cursor of an event that the store does not have is refused as behind', async () => {
    await using store = await open([record(1)])
    const live = await openLiveIndex(store, createCopy())
    const after = { log: 'another', sequence: 1 }
    await expect(findInLiveIndex(live, requestOf(''), after)).rejects.toThrow(
      'does not have the event another-1',
    )
  })

  test('lists do not wait while a copy is written, and changes do', async () => {
    await using store = await open([record(1)])
    const written = Promise.withResolvers<boolean>()
    const copy = { ...createCopy(), write: () => written.promise }
    const live = await openLiveIndex(store, copy)
    const saved = saveLiveIndex(live)
    await saveRecords(store, [record(2)])
    const updated = updateIndex(live)
    expect((await findInLiveIndex(live, requestOf(''))).total).toBe(1)
    written.resolve(true)
    await saved
    await updated
    expect((await findInLiveIndex(live, requestOf(''))).total).toBe(2)
  })

  test('an index with many old values is outdated', async () => {
    const all = (score: number) => Array.from({ length: 1000 }, (_, id) => named(id, '', score))
    await using store = await open(all(0))
    const live = await openLiveIndex(store, createCopy())
    for (let round = 1; !isOutdated(live); round++) {
      await saveRecords(store, all(round))
      await updateIndex(live)
      expect(round).toBeLessThan(30)
    }
    const again = await openLiveIndex(store, createCopy())
    expect(isOutdated(again)).toBe(false)
  })
})
