import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createFixedWindow, createWindowMemory } from '../../../../src/core/basics/fixed-window.ts'
import { findCollisions } from '../../../support/http/slot-collisions.ts'
import { NOON } from '../../../support/store/records.ts'

function counting(start = NOON) {
  const clock = { time: start }
  const counters = createFixedWindow(() => clock.time)
  const take = (client: string, limit: number, window: number) =>
    counters.consume(client, limit, window).remaining
  return { clock, counters, take }
}

test('a refund after the end of its window does not change the next window', () => {
  const { take, counters, clock } = counting()
  const taken = counters.consume('a', 2, 10)
  clock.time += 10_000
  expect(take('a', 2, 10)).toBe(1)
  taken.refund()
  expect(take('a', 2, 10)).toBe(0)
  expect(take('a', 2, 10)).toBe(-1)
})

test('clients with short windows, however many, do not evict the counts of long windows', () => {
  const { take, clock } = counting()
  const partners = Array.from({ length: 20 }, (_, index) => `partner ${index}`)
  for (const partner of partners) expect(take(partner, 1, 3600)).toBe(0)
  for (let visitor = 0; visitor < 200_000; visitor++) {
    if (visitor % 100_000 === 0) clock.time += 10_000
    take(`visitor ${visitor}`, 5, 10)
  }
  expect(partners.map((partner) => take(partner, 1, 3600))).toEqual(partners.map(() => -1))
})

test('concurrent threads together accept exactly as many requests as the limit', async () => {
  const memory = createWindowMemory()
  const race = () =>
    new Promise<number>((resolve, reject) => {
      const worker = new Worker(new URL('../../../support/threads/racing-windows.ts', import.meta.url))
      worker.onmessage = ({ data }) => {
        resolve(data)
        worker.terminate()
      }
      worker.onerror = reject
      worker.postMessage({ memory, turns: 15_000, limit: 20_000 })
    })
  const passed = await Promise.all([race(), race()])
  expect(passed.reduce((sum, count) => sum + count)).toBe(20_000)
  const counters = createFixedWindow(() => NOON, memory)
  expect(counters.consume('free', 1_000_000, 3600).remaining).toBe(999_999)
})

test('windows of different lengths that share a slot and end at the same time do not reset each other', () => {
  const { take } = counting(59_000)
  const passed = new Array<number>(1000).fill(0)
  for (let turn = 0; turn < 7; turn++) {
    for (let client = 0; client < 40_000; client++) take(`long ${client}`, 5, 60)
    for (let client = 0; client < passed.length; client++) {
      if (take(`short ${client}`, 5, 10) >= 0) passed[client] = (passed[client] ?? 0) + 1
    }
  }
  expect(Math.max(...passed)).toBeLessThanOrEqual(5)
})

test('each window accepts exactly as many requests as the limit, for any sequence of clients', () => {
  const step = fc.record({
    client: fc.nat({ max: 5 }),
    wait: fc.oneof(fc.constant(0), fc.nat({ max: 4_000 }), fc.nat({ max: 40_000_000 })),
    isFree: fc.boolean(),
  })
  const tiers = [
    { limit: 1, window: 1 },
    { limit: 3, window: 10 },
    { limit: 5, window: 3600 },
  ]
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.nat({ max: Date.UTC(2050, 0) }), (steps, start) => {
      const { take, counters, clock } = counting(start)
      const model = new Map<string, number>()
      for (const { client, wait, isFree } of steps) {
        clock.time += wait
        const { limit, window } = tiers[client % tiers.length] as (typeof tiers)[number]
        const name = `${client} ${Math.floor(clock.time / (window * 1000))}`
        const count = model.get(name) ?? 0
        const expected = count < limit ? limit - count - 1 : -1
        if (isFree) {
          const taken = counters.consume(String(client), limit, window)
          expect(taken.remaining).toBe(expected)
          taken.refund()
        } else {
          expect(take(String(client), limit, window)).toBe(expected)
          if (expected >= 0) model.set(name, count + 1)
        }
      }
    }),
    { numRuns: 50 },
  )
})

test('addresses that fill all slots of another client no longer fill them after a restart', () => {
  const window = 3600
  const victim = 'anonymous 192.0.2.1'
  const near = findCollisions(victim, window)
  // More than 30 addresses fill all slots that the victim can use.
  expect(near.length).toBeGreaterThan(30)

  const counters = createFixedWindow(() => NOON, createWindowMemory())
  for (const client of near) while (counters.consume(client, 1000, window).remaining > 0);
  expect(counters.consume(victim, 1000, window).remaining).toBe(999)
})
