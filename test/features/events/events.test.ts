import { expect, test } from 'bun:test'
import type { WireEvent } from '../../../src/core/history/event-schema.ts'
import { scanEnd } from '../../../src/core/store/rows/event.ts'
import { serveEvents } from '../../support/http/event-stream.ts'
import { openTestStore, saveRecords } from '../../support/store/engines.ts'
import { ADA_WALLET, ada, NOON, named, PEOPLE, record } from '../../support/store/records.ts'
import { adoptRules, applyRules, DEFAULT_RULES, stampRules } from '../../support/store/scoring.ts'

const numbersOf = ({ items }: { items: WireEvent[] }) => items.map(({ id }) => Number(id.split('-')[1]))

test('a page has CloudEvents, oldest first, and the id of each event is a cursor', async () => {
  await using store = await openTestStore('sqlite', [named(7, 'Ada', 5)])
  await saveRecords(store, [named(7, 'Ada', 6)])
  await using server = await serveEvents(store, { publicUrl: 'https://passports.example.com' })
  const { status, headers, body } = await server.list()
  const { name } = await store.events.log()
  expect(status).toBe(200)
  expect(body.items[0]).toEqual({
    specversion: '1.0',
    id: `${name}-1`,
    source: 'https://passports.example.com/api/v3',
    type: 'passport.added',
    subject: '7',
    time: '2026-01-02T12:00:00.000Z',
    data: { score: 5, human_checkmark: false, rules: null },
  })
  expect(body.items[1]).toMatchObject({ type: 'score.changed', data: { score: [5, 6] } })
  expect(body.next).toBe(`${name}-2`)
  expect(headers.get('Link')).toBe(`</api/v3/events?after=${name}-2>; rel="next"`)
  expect((await server.list(`?after=${body.items[0].id}`)).body.items).toEqual([body.items[1]])
})

test('events can be filtered by type, and by any key of a passport', async () => {
  await using store = await openTestStore('sqlite', PEOPLE)
  await saveRecords(store, [{ ...ada, connections: 18 }])
  await store.passports.remove(12, NOON)
  await using server = await serveEvents(store)
  const subjects = async (query: string) =>
    (await server.list(query)).body.items.map(({ type, subject }: WireEvent) => `${type} ${subject}`)
  const ofAda = ['passport.added 7', 'passport.changed 7']
  for (const key of ['7', ADA_WALLET.toUpperCase().replace('X', 'x'), 'Lens:Ada'])
    expect(await subjects(`?passport=${key}`)).toEqual(ofAda)
  expect(await subjects('?passport=900')).toEqual(['passport.added 900', 'passport.merged 900'])
  expect(await subjects('?passport=12')).toEqual(['passport.removed 12'])
  expect(await subjects('?passport=555')).toEqual([])
  expect(await subjects('?types=passport.changed,passport.removed')).toEqual([
    'passport.changed 7',
    'passport.removed 12',
  ])
  expect(await subjects('?passport=7&types=passport.changed')).toEqual(['passport.changed 7'])
  const { body } = await server.list('?types=rules.changed')
  expect(body).toEqual({ items: [], next: (await server.list('?after=latest')).body.next })
})

test('a cursor before the event log or of another log gets 410 with the oldest valid cursor, one after it 400', async () => {
  await using store = await openTestStore('sqlite', [record(1), record(2)])
  await store.records.save([{ kind: 'passport', passport: record(3) }], { now: NOON + 2, restore: false })
  await store.events.prune(NOON + 1)
  await using server = await serveEvents(store)
  const { name } = await store.events.log()
  for (const cursor of [`${name}-1`, `${name}-0`, 'abcdef-2', `x${name}-2`]) {
    const { status, body } = await server.list(`?after=${cursor}`)
    expect([status, body.code, body.oldest_cursor]).toEqual([410, 'cursor_expired', `${name}-2`])
    expect(body.detail).toContain(cursor)
  }
  const ahead = await server.list(`?after=${name}-4`)
  const detail = `The log has no event ${name}-4 yet: its last one is ${name}-3.`
  expect([ahead.status, ahead.body.errors]).toEqual([400, [{ pointer: '?after', detail }]])
  expect(numbersOf((await server.list(`?after=${name}-2`)).body)).toEqual([3])
  expect(numbersOf((await server.list()).body)).toEqual([3])
  await store.events.prune(NOON + 3)
  const { body } = await server.list('?types=rules.changed')
  expect(body).toEqual({ items: [], next: `${name}-3` })
  expect((await server.list(`?after=${body.next}`)).status).toBe(200)
})

test('a rules.changed event has the stamps of the old and new rule sets, and /rules serves both rule sets', async () => {
  const { stamp: _, ...shape } = DEFAULT_RULES
  const next = stampRules({ ...shape, version: 'next' })
  await using store = await openTestStore('sqlite', [ada])
  await adoptRules({ store, rules: DEFAULT_RULES })
  await applyRules(store, next)
  await adoptRules({ store, rules: next })
  await using server = await serveEvents(store)
  const { body } = await server.list('?types=rules.changed')
  const stamps = body.items.map(({ data }: { data: { rules: string[] } }) => data.rules)
  expect(stamps.at(-1)).toEqual([DEFAULT_RULES.stamp, next.stamp])
  expect(body.items.at(-1)).not.toHaveProperty('subject')
  for (const stamp of stamps.at(-1)) {
    const rules = await server.get(`/api/v3/rules/${encodeURIComponent(stamp)}`)
    expect([rules.status, rules.body.stamp]).toEqual([200, stamp])
  }
})

test('a page with a filter by type reads at most 10,000 events of the event log', () => {
  const log = { name: 'x', first: 50_001, last: 70_000, knownSince: 0 }
  const page = { after: 0, limit: 9, types: ['rules.changed' as const] }
  expect(scanEnd(page, log)).toBe(60_000)
  expect(scanEnd({ ...page, after: 65_000 }, log)).toBe(70_000)
  expect(scanEnd({ ...page, passport: 7 }, log)).toBe(70_000)
  expect(scanEnd({ after: 80_000, limit: 9 }, log)).toBe(80_000)
})
