import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createCatalog, createSharedCatalog } from '../../../src/core/index/catalog.ts'
import {
  addChanges,
  CHUNK,
  findList,
  findPage,
  listRanking,
  mapChunks,
  noChanges,
  type Reader,
} from '../../../src/core/index/find-list.ts'
import { searchNames } from '../../../src/core/index/search.ts'
import { cutPage } from '../../../src/core/index/snapshot.ts'
import type { ListRequest } from '../../../src/core/lists/list-request.ts'
import type { Passport } from '../../../src/core/passport/passport.ts'
import type { ListedPassport } from '../../../src/core/store/store.ts'
import { serveTest } from '../../support/http/server.ts'
import { buildSnapshot, snapshotOf } from '../../support/store/catalog.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { parseFilter, parseSort } from '../../support/store/naive-list.ts'
import { NOON, named } from '../../support/store/records.ts'

onEveryEngine('pages of an old snapshot', (open) => {
  test('pages that are built from an old snapshot show the current ranking, total and passports', async () => {
    const before = Array.from({ length: 60 }, (_, id) => named(id + 1, `Ada ${id + 1}`, 60 - id))
    await using store = await open(before)
    const catalog = createSharedCatalog()
    const snapshot = await buildSnapshot(store.listing)
    catalog.update(snapshot)
    await using server = serveTest(store, { catalog })
    // One batch renames all passports, adds two and changes a score. Then one passport is removed and one is merged.
    const after = before.map(({ id, scores }) => named(id, `Bob ${id}`, id === 60 ? 99 : scores.total))
    await saveRecords(store, [...after, named(70, 'Bob 70', 58.5), named(71, 'Bob 71', 0)])
    await store.passports.remove(2, NOON)
    await store.passports.merge(20, 30)

    const pages = []
    let cursor = ''
    do {
      const { body } = await server.get(`/api/v3/passports?limit=25${cursor}`)
      expect(body.total).toBe(60)
      pages.push(...body.items)
      cursor = body.next === null ? '' : `&cursor=${body.next}`
    } while (cursor !== '')
    const listed = [...after.map(({ id }) => id), 70, 71].filter((id) => id !== 2 && id !== 20)
    const scoreOf = (id: number) => (id === 60 ? 99 : id === 70 ? 58.5 : id === 71 ? 0 : 61 - id)
    expect(pages.map(({ passport_id }) => passport_id)).toEqual(
      listed.toSorted((one, other) => scoreOf(other) - scoreOf(one) || one - other),
    )
    for (const { passport_id, passport_profile } of pages) {
      expect(passport_profile.display_name).toBe(`Bob ${passport_id}`)
    }
  })
})

const listRequest = (filter?: string): ListRequest => ({
  filter: filter === undefined ? [] : parseFilter(filter),
  sort: parseSort('-score'),
  limit: 3,
})

onEveryEngine('changes after the ids of a page were found', (open) => {
  type List = (ids: readonly number[]) => Promise<Passport[]>
  test.each([
    ['V1', (reader: Reader, list: List) => findPage(reader, { page: 1, size: 3, keyword: undefined }, list)],
    ['v3', (reader: Reader, list: List) => findList(reader, listRequest(), list)],
    ['v3 with a filter', (reader: Reader, list: List) => findList(reader, listRequest('score:>0'), list)],
  ])('a page of %s shows the new rank of a passport that changes meanwhile', async (_, find) => {
    await using store = await open([1, 2, 3].map((id) => named(id, 'Old', 50 - id)))
    let reads = 0
    const { items } = await find({ catalog: createCatalog(store), store }, async (ids) => {
      if (reads++ === 0) await saveRecords(store, [named(3, 'New', 99)])
      return store.passports.listByIds(ids)
    })
    expect(items.map(({ id, profile }) => [id, profile.displayName])).toEqual([
      [3, 'New'],
      [1, 'Old'],
      [2, 'Old'],
    ])
    expect(reads).toBe(2)
  })
})

const passport = fc.record({
  id: fc.nat({ max: 30 }),
  score: fc.nat({ max: 5 }),
  name: fc.constantFrom('ada', 'bob', 'ada bob'),
})
const changes = fc.array(
  fc.record({
    listed: fc.uniqueArray(passport, { maxLength: 6, selector: ({ id }) => id }),
    unlisted: fc.uniqueArray(fc.nat({ max: 30 }), { maxLength: 6 }),
  }),
  { maxLength: 4 },
)

test('an old snapshot with changes applied has the same pages as a new snapshot', async () => {
  const passports = fc.uniqueArray(passport, { maxLength: 30, selector: ({ id }) => id })
  await fc.assert(
    fc.asyncProperty(
      passports,
      changes,
      fc.constantFrom(undefined, 'ada', 'nobody'),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 12 }),
      async (listed, steps, keyword, page, size) => {
        const snapshot = await snapshotOf(listed)
        const model = new Map<number, ListedPassport>(listed.map((each) => [each.id, each]))
        let recent = noChanges(snapshot)
        for (const [at, step] of steps.entries()) {
          for (const id of step.unlisted) model.delete(id)
          for (const each of step.listed) model.set(each.id, each)
          recent = addChanges(recent, { cursor: `${at + 1}`, ...step })
        }
        const ranks = keyword === undefined ? undefined : searchNames(snapshot, keyword)
        const offset = (page - 1) * size
        const expected = [...model.values()]
          .filter(({ name }) => name.includes(keyword ?? ''))
          .sort((one, other) => other.score - one.score || one.id - other.id)
          .map(({ id }) => id)
        const ranking = listRanking({ snapshot, ranks }, recent, keyword)
        expect(ranking).toHaveLength(expected.length)
        const { ids } = cutPage(ranking, { sort: parseSort(), limit: size, offset })
        expect(ids).toEqual(expected.slice(offset, offset + size))
      },
    ),
    { numRuns: 100 },
  )
})

const upTo = (length: number) => Array.from({ length }, (_, at) => at)

test.each([0, 1, CHUNK, CHUNK + 1, 2 * CHUNK, 5 * CHUNK - 1])(
  '%d items are read in order, in chunks',
  async (n) => {
    const sizes: number[] = []
    const items = await mapChunks(upTo(n), (chunk) => {
      sizes.push(chunk.length)
      return chunk
    })
    expect(items.flat()).toEqual(upTo(n))
    expect(sizes).toHaveLength(Math.max(1, Math.ceil(n / CHUNK)))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(CHUNK)
  },
)

test('the event loop runs between two chunks', async () => {
  const events: string[] = []
  await mapChunks(upTo(3 * CHUNK), (_chunk, at) => {
    events.push(`${at}`)
    setImmediate(() => events.push('other'))
  })
  expect(events).toEqual(['0', 'other', `${CHUNK}`, 'other', `${2 * CHUNK}`])
})
