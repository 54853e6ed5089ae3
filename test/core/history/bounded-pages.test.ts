import { expect, spyOn, test } from 'bun:test'
import type { Awaitable } from '../../../src/core/basics/awaitable.ts'
import type { LogEvent } from '../../../src/core/history/event.ts'
import { readDiff, readLater } from '../../../src/core/history/read-later.ts'
import { undo } from '../../../src/core/history/undo.ts'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { onEveryEngine, type TestStore } from '../../support/store/engines.ts'
import { listLater } from '../../support/store/events-after-time.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { NOON, record } from '../../support/store/records.ts'

const MEBIBYTE = 1024 * 1024

type Page = Awaited<ReturnType<Store['events']['listAfterTime']>>

/** Adds `totals[id]` events to passport `id`, 1 ms apart. Each adds 1 to the score. `padding` sets their size. */
async function addEvents(url: string, totals: readonly number[], padding: number): Promise<void> {
  const credential = { type: 'a', cause: 'record', score: [1, 1], before: { value: 'x'.repeat(padding) } }
  const rest = JSON.stringify({ rules: ['', ''], credentials: [credential] }).slice(1)
  const data = `'{"change":{"score":[' || (i - 1) || ',' || i || '],${rest}}'`
  const sum = (list: readonly number[]) => list.reduce((one, other) => one + other, 0)
  const values = totals.map((total, id) => `(${id}, ${total}, ${totals.length + sum(totals.slice(0, id))})`)
  await execute(
    url,
    `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${Math.max(...totals)}),
     passports (id, total, start) as (values ${values.join()})
     insert into events (sequence, passport_id, time, type, data)
     select start + i, id, ${NOON} + i, 'score.changed', ${data} from passports join numbers on i <= total`,
  )
  await execute(
    url,
    `update event_log set last = last + ${sum(totals)}, time = ${NOON} + ${Math.max(...totals)}`,
  )
}

type Open = (records: readonly PassportRecord[]) => Promise<TestStore>

async function openWith(open: Open, totals: readonly number[], padding = 0) {
  const store = await open(totals.map((total, id) => record(id, { scores: { total } })))
  await addEvents(store.url, totals, padding)
  return store
}

const bytesOf = (events: readonly LogEvent[]) =>
  events.reduce((sum, event) => sum + JSON.stringify(event).length, 0)

const ofPassport = (events: readonly LogEvent[], id: number) =>
  events.filter((event) => 'passportId' in event && event.passportId === id)

async function getPassport({ passports }: Store, id: number) {
  const [found] = await passports.findByKeys([{ id }], { credentials: true })
  if (!found || !('passport' in found)) throw new Error(`There is no passport ${id}.`)
  return found.passport
}

onEveryEngine('bounded pages of events', (open) => {
  test('the causes in a diff of a long history add up, and the diff reads the events in pages of 5,000', async () => {
    await using store = await openWith(open, [12_000])
    using list = spyOn(store.events, 'listAfterTime')
    const passport = await getPassport(store, 0)
    const times = { from: NOON + 500, to: NOON + 11_000 }
    expect(await readDiff(store.events, passport, times, () => undefined)).toEqual({
      score: [500, 11_000],
      causes: [{ delta: 10_500, cause: 'record' }],
      at: NOON + 11_000,
    })
    const pages = await Promise.all(list.mock.results.map(({ value }) => value as Awaitable<Page>))
    expect(pages.map(({ events }) => events.length)).toEqual([5000, 5000, 1500])
  })

  test('histories of different lengths are read completely, newest event first, 5,000 events per page', async () => {
    const totals = [...Array(60).fill(3), 6000, 0, 400, 1]
    await using store = await openWith(open, totals)
    const pages = await Array.fromAsync(readLater(store.events, totals.keys(), NOON, () => undefined))
    expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(5000 + totals.length)
    for (const [id, total] of totals.entries()) {
      const times = ofPassport(pages.flat(), id).map(({ time }) => time - NOON)
      expect(times).toEqual(Array.from({ length: total }, (_, at) => total - at))
    }
  })

  test('a page of large events has about 1 MiB, and the next page continues after its last event', async () => {
    await using store = await openWith(open, [150, 30, 1], 20_000)
    const later = await Array.fromAsync(readLater(store.events, [0, 1, 2], NOON, () => undefined))
    expect(later.map((page) => page.length)).toEqual([53, 53, 53, 22])
    expect(ofPassport(later.flat(), 1).map(({ time }) => time - NOON)).toEqual(
      Array.from({ length: 30 }, (_, at) => 30 - at),
    )
    for (const filter of [{}, { passport: 0 }, { types: ['score.changed'] as const }]) {
      const numbers: number[] = []
      for (let after = 0; ; ) {
        const { events, end, log } = await store.events.list({ ...filter, after, limit: 1000 })
        expect(bytesOf(events)).toBeLessThan(1.2 * MEBIBYTE)
        numbers.push(...events.map(({ sequence }) => sequence))
        if (end === log.last) break
        after = end
      }
      const count = 'passport' in filter ? 151 : 'types' in filter ? 181 : 184
      expect(numbers).toHaveLength(count)
      expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
    }
  })

  test('an event that is larger than a page gets its own page', async () => {
    await using store = await openWith(open, [3], 2 * MEBIBYTE)
    const page = await store.events.list({ after: 1, limit: 10 })
    expect([page.events.length, page.end]).toEqual([1, 2])
    expect(await listLater(store, [0], NOON)).toHaveLength(3)
  })

  test('a passport that is removed while its history is read is treated as one that never existed', async () => {
    await using store = await openWith(open, [6000, 6000])
    using list = spyOn(store.events, 'listAfterTime')
    const state = { scores: { total: 6000, activity: 0, identity: 0, skills: 0 }, credentials: [] }
    const states = [0, 1].map(() => ({ ...state, human: false, calculatedAt: NOON, rules: '' }))
    const undone: (object | undefined)[] = [...states]
    for await (const events of readLater(store.events, [0, 1], NOON, () => undefined)) {
      for (const id of [0, 1]) undone[id] = undo(undone[id] as (typeof states)[0], ofPassport(events, id))
      if (list.mock.calls.length === 1) await store.passports.remove(0, NOON)
    }
    expect(undone[0]).toBeUndefined()
    expect(undone[1]).toEqual({ ...states[1], scores: { ...state.scores, total: 0 } })
  })
})
