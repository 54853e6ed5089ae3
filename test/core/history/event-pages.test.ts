import { expect, test } from 'bun:test'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { listLater } from '../../support/store/events-after-time.ts'
import { NOON, record } from '../../support/store/records.ts'

onEveryEngine('pages of events', (open) => {
  const people = Array.from({ length: 5 }, (_, id) => record(id))

  test('a page of events continues after the last event of the page before', async () => {
    await using store = await open(people)
    const first = await store.events.list({ after: 0, limit: 3 })
    expect(first.events.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    const second = await store.events.list({ after: first.end, limit: 3 })
    expect(second.events.map(({ sequence }) => sequence)).toEqual([4, 5])
    expect(await store.events.list({ after: second.end, limit: 3 })).toMatchObject({ events: [], end: 5 })
  })

  test('a page of events can be filtered by passport and by type', async () => {
    await using store = await open(people)
    await saveRecords(store, [record(3, { connections: 1 })])
    const list = async (filter: object) =>
      (await store.events.list({ after: 0, limit: 9, ...filter })).events.map(({ sequence }) => sequence)
    expect(await list({ passport: 3 })).toEqual([4, 6])
    expect(await list({ types: ['passport.changed'] })).toEqual([6])
    expect(await list({ passport: 3, types: ['passport.added'] })).toEqual([4])
    expect(await list({ types: [] })).toEqual([])
    expect(await store.events.list({ after: 0, limit: 9, types: ['rules.changed'] })).toMatchObject({
      events: [],
      end: 6,
    })
  })

  test('the events of several passports after a time are listed newest first', async () => {
    await using store = await open(people)
    for (const [id, now] of [
      [1, NOON + 1],
      [2, NOON + 2],
      [1, NOON + 3],
      [3, NOON + 4],
    ] as const)
      await saveRecords(store, [record(id, { connections: now })], { now })
    const later = await listLater(store, [1, 2, 99], NOON + 1)
    expect(later.map(({ time }) => time - NOON)).toEqual([3, 2])
    expect(await store.events.listAfterTime([], 0)).toEqual({
      events: [],
      before: undefined,
      knownSince: NOON,
    })
  })

  test('listLatest returns at most the given number of events of a passport, and only events of the given types', async () => {
    await using store = await open(people)
    for (const score of [5, 6, 7]) {
      const scores = { total: score, activity: score, identity: 0, skills: 0 }
      const passport = record(1, { scores, connections: score })
      await saveRecords(store, [passport], { now: NOON + score })
    }
    const latest = await store.events.listLatest(1, ['score.changed', 'passport.added'], 3)
    expect(latest.map(({ type, time }) => [type, time - NOON])).toEqual([
      ['score.changed', 7],
      ['score.changed', 6],
      ['score.changed', 5],
    ])
    expect((await store.events.listLatest(1, ['passport.added'], 3)).map(({ type }) => type)).toEqual([
      'passport.added',
    ])
    expect(await store.events.listLatest(99, ['passport.added'], 3)).toEqual([])
  })

  test('pruning deletes old events and moves the start of the event log, but never reuses event numbers', async () => {
    await using store = await open(people)
    await saveRecords(store, [record(9)], { now: NOON + 2 })
    expect(await store.events.prune(NOON)).toBe(0)
    expect(await store.events.prune(NOON + 1)).toBe(5)
    expect(await store.events.prune(NOON + 1)).toBe(0)
    expect(await store.events.log()).toMatchObject({ first: 6, last: 6, knownSince: NOON })
    expect(await store.events.prune(NOON + 3)).toBe(1)
    expect(await store.events.log()).toMatchObject({ first: 7, last: 6, knownSince: NOON + 2 })
    await saveRecords(store, [record(10)])
    expect((await store.events.list({ after: 0, limit: 9 })).events.map(({ sequence }) => sequence)).toEqual([
      7,
    ])
  })
})
