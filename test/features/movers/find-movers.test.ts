import { expect, spyOn, test } from 'bun:test'
import type { MoversRequest } from '../../../src/core/lists/list-request.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { createMovers } from '../../../src/features/movers/find-movers.ts'
import { openIndex } from '../../support/index/local-index.ts'
import { onEveryEngine, openTestStore, saveRecords } from '../../support/store/engines.ts'
import { NOON, record } from '../../support/store/records.ts'

const request: MoversRequest = { sort: '-change', since: NOON, limit: 10 }

const save = (store: Store, now: number, scores: Record<number, number>) =>
  saveRecords(
    store,
    Object.entries(scores).map(([id, total]) => record(Number(id), { scores: { total } })),
    { now },
  )

onEveryEngine('createMovers', (open) => {
  test('equal changes are sorted by id, and the total counts all of them', async () => {
    await using store = await open()
    await save(store, NOON, { 1: 1, 2: 1, 3: 1, 4: 1 })
    await save(store, NOON + 1, { 1: 2, 2: 3, 3: 2, 4: 1 })
    const find = createMovers(store.events)
    const index = await openIndex(store)
    expect(await find(index, { ...request, limit: 2 })).toEqual({
      ids: [2, 1],
      ranks: [1, 2],
      next: { value: 1, id: 1 },
      total: 3,
      isCurrent: true,
    })
    const after = { value: 1, id: 1 }
    expect(await find(index, { ...request, after })).toMatchObject({ ids: [3], next: undefined, total: 3 })
  })

  test('removed people do not end the search for earlier changes, and the limit counts their events', async () => {
    await using store = await open()
    await save(store, NOON, { 1: 1, 2: 1, 3: 1 })
    await save(store, NOON + 1, { 1: 5 })
    await save(store, NOON + 2, { 2: 5 })
    await save(store, NOON + 3, { 3: 5 })
    await store.passports.remove(2, NOON + 4)
    await store.passports.remove(3, NOON + 5)
    const index = await openIndex(store)
    expect(await createMovers(store.events)(index, request)).toMatchObject({ ids: [1], total: 1 })
    // Seven events are read: two removals, four tombstones, and the change of the first passport.
    const find = (most: number) => createMovers(store.events, most)(index, request)
    expect(await find(7)).toMatchObject({ ids: [1] })
    await expect(find(3)).rejects.toThrow('only the last 3 changes, after 2026-01-02T12:00:00.004Z')
  })

  test('more than one page of events is read', async () => {
    await using store = await open()
    await save(store, NOON, { 1: 1 })
    await save(store, NOON + 1, { 1: 5 })
    const many = Array.from({ length: 2100 }, (_, at) => [at + 2, 1])
    await save(store, NOON + 2, Object.fromEntries(many))
    const find = createMovers(store.events)
    const index = await openIndex(store)
    expect(await find(index, request)).toMatchObject({ ids: [1], total: 1 })
    const added = await find(index, { ...request, sort: '-added', limit: 3 })
    expect(added).toMatchObject({ ids: [2101, 2100, 2099], total: 2100 })
    const last = { value: 2, id: 1 }
    const rest = await find(index, { ...request, sort: '-added', limit: 2000, after: last })
    expect(rest).toMatchObject({ ids: [], total: 2100 })
    expect((await find(index, { ...request, sort: '-added', limit: 2000 })).ids).toHaveLength(1000)
  })
})

test('the events are read once for each time and state of the ranking, and the lists follow the ranking', async () => {
  await using store = await openTestStore('sqlite')
  await save(store, NOON, { 1: 1 })
  await save(store, NOON + 1, { 1: 2 })
  const reads = spyOn(store.events, 'listRecent')
  const find = createMovers(store.events)
  const index = await openIndex(store)
  await find(index, request)
  const first = reads.mock.calls.length
  expect(await find(index, { ...request, sort: 'change' })).toMatchObject({ total: 0 })
  expect(reads).toHaveBeenCalledTimes(first)
  await find(index, { ...request, since: NOON + 1 })
  expect(reads.mock.calls.length).toBeGreaterThan(first)
  await save(store, NOON + 2, { 1: 0 })
  const later = await openIndex(store)
  let found = await find(later, { ...request, sort: 'change' })
  while (found.total === 0) found = await find(later, { ...request, sort: 'change' })
  expect(found.ids).toEqual([1])
})

test('a time before too many events is refused with the time of the oldest event that is compared', async () => {
  await using store = await openTestStore('sqlite')
  await save(store, NOON, { 1: 1 })
  await save(store, NOON + 1, { 1: 2 })
  await save(store, NOON + 2, { 1: 3 })
  const index = await openIndex(store)
  expect(createMovers(store.events, 1)(index, request)).rejects.toMatchObject({
    code: 'invalid_request',
    message: `since must be a later time: only the last 1 changes, after ${new Date(NOON + 1).toISOString()}, are compared.`,
  })
  const later = { ...request, since: NOON + 1 }
  expect(await createMovers(store.events, 1)(index, later)).toMatchObject({ ids: [1], total: 1 })
})

test('a time before too many events is refused again without reading, and later times are read', async () => {
  await using store = await openTestStore('sqlite')
  for (const at of [0, 1, 2]) await save(store, NOON + at, { 1: at })
  const reads = spyOn(store.events, 'listRecent')
  const find = createMovers(store.events, 1)
  const index = await openIndex(store)
  // The events may be read again after a multiple of the time that reading them took.
  for (let [before, since] = [-1, NOON]; before !== reads.mock.calls.length; since--) {
    before = reads.mock.calls.length
    await expect(find(index, { ...request, since })).rejects.toMatchObject({ code: 'invalid_request' })
  }
  expect(await find(index, { ...request, since: NOON + 1 })).toMatchObject({ ids: [1] })
})
