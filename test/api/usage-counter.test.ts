import { expect, test } from 'bun:test'
import { createUsageCounter } from '../../src/api/usage.ts'

test('answers are counted by day, key, endpoint and status, until the counts are taken', () => {
  let now = Date.UTC(2026, 0, 31, 23, 59)
  const usage = createUsageCounter(() => now)
  usage.count('a', 'list', 200)
  usage.count('a', 'list', 200)
  usage.count('a', 'list', 404)
  usage.count('', 'list', 200)
  now += 60_000
  usage.count('a', 'list', 200)
  const of = (day: string, key: string, status: number, count: number) => ({
    day,
    key,
    endpoint: 'list' as const,
    status,
    count,
  })
  expect(usage.take()).toEqual({
    counts: [
      of('2026-01-31', 'a', 200, 2),
      of('2026-01-31', 'a', 404, 1),
      of('2026-01-31', '', 200, 1),
      of('2026-02-01', 'a', 200, 1),
    ],
    lastUsed: new Map([['a', now]]),
  })
  usage.count('a', 'list', 200)
  expect(usage.take().counts).toEqual([of('2026-02-01', 'a', 200, 1)])
  expect(usage.take().counts).toEqual([])
})
