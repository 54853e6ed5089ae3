import { expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import type { UsageCount } from '../../support/http/rate-limits.ts'
import { onEveryEngine } from '../../support/store/engines.ts'
import { USAGE } from '../../support/store/open.ts'
import { apiKey } from '../../support/store/records.ts'

const used = (day: string, key: string, count: number, given: Partial<UsageCount> = {}): UsageCount => ({
  day,
  key,
  endpoint: 'list',
  status: 200,
  count,
  ...given,
})
const add = (store: Store, ...counts: UsageCount[]) => store.data(USAGE).add(counts, new Map())
const ALL = { since: '0000-01-01', until: '9999-12-31' }

onEveryEngine('usage', (open) => {
  test('counts of requests with the same day, key, endpoint and status are added up', async () => {
    await using store = await open()
    await add(store, used('2026-01-02', 'a', 3), used('2026-01-01', '', 1))
    await add(store, used('2026-01-02', 'a', 4), used('2026-01-02', 'a', 1, { status: 404 }))
    expect(await store.data(USAGE).list(ALL)).toEqual([
      used('2026-01-01', '', 1),
      used('2026-01-02', 'a', 7),
      used('2026-01-02', 'a', 1, { status: 404 }),
    ])
    expect(await store.data(USAGE).list({ since: '2026-01-01', until: '2026-01-01' })).toHaveLength(1)
  })

  test('the usage of a key is the number of its responses, except 304 and 429', async () => {
    await using store = await open()
    const keys = Array.from({ length: 300 }, (_, at) => `k${at}`)
    const days = ['2026-01-31', '2026-02-01', '2026-02-14', '2026-02-28', '2026-03-01']
    const counts = days.flatMap((day) =>
      keys.flatMap((key) => [200, 304, 404, 429].map((status) => used(day, key, 2, { status }))),
    )
    await add(store, ...counts, used('2026-02-01', '', 9))
    const sums = await store.data(USAGE).sumMonth('2026-02-28')
    expect(sums).toEqual(new Map(keys.map((key) => [key, 12])))
  })

  test('the counts of old days are deleted one day at a time, oldest first', async () => {
    await using store = await open()
    const days = ['2026-01-03', '2026-01-01', '2026-01-02']
    await add(store, ...days.flatMap((day) => [used(day, 'a', 1), used(day, 'b', 1)]))
    expect(await store.data(USAGE).removeOldest('2026-01-03')).toBe(true)
    const left = (await store.data(USAGE).list(ALL)).map(({ day }) => day)
    expect(left).toEqual(['2026-01-02', '2026-01-02', '2026-01-03', '2026-01-03'])
    expect(await store.data(USAGE).removeOldest('2026-01-03')).toBe(true)
    expect(await store.data(USAGE).removeOldest('2026-01-03')).toBe(false)
    expect(await store.data(USAGE).list(ALL)).toHaveLength(2)
  })

  test('the last-use time of a key never decreases, and the times of unknown keys are ignored', async () => {
    await using store = await open()
    const key = apiKey('one')
    await store.keys.create(key)
    await store.data(USAGE).add([], new Map([['one', 50]]))
    await store.data(USAGE).add([], new Map(Object.entries({ one: 40, gone: 60 })))
    expect(await store.keys.list()).toEqual([{ ...key, lastUsedAt: 50 }])
  })

  test('no counts are lost if several nodes add counts at the same time', async () => {
    await using store = await open()
    const counts = Array.from({ length: 20 }, (_, at) => used('2026-01-01', `k${at}`, 1))
    const adding = Array.from({ length: 12 }, (_, turn) =>
      add(store, ...(turn % 2 ? counts : counts.toReversed())),
    )
    await Promise.all(adding)
    const rows = await store.data(USAGE).list(ALL)
    expect(rows).toHaveLength(20)
    expect(new Set(rows.map(({ count }) => count))).toEqual(new Set([12]))
  })
})
