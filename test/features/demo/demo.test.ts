import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { fillWithDemo } from '../../../src/features/demo/fill-with-demo.ts'
import { walletsOf } from '../../support/program/text.ts'
import { openTestStore, type TestStore } from '../../support/store/engines.ts'
import { NOON } from '../../support/store/records.ts'
import { createExplainer, DEFAULT_RULES } from '../../support/store/scoring.ts'

const DAY = 86_400_000

async function listAll(store: Store) {
  const all = await store.records.list(-1, 2000)
  return all.map((record) => ({
    ...record,
    scores: record.scores ?? expect.unreachable(),
    credentials: (record.credentials ?? []).filter(({ superseded }) => !superseded),
    dataPoints: record.dataPoints ?? [],
  }))
}

let store: TestStore
let people: Awaited<ReturnType<typeof listAll>>

beforeAll(async () => {
  store = await openTestStore('sqlite', [])
  await fillWithDemo(store, NOON)
  people = await listAll(store)
})

afterAll(() => store[Symbol.asyncDispose]())

test('filling the demo a second time changes nothing', async () => {
  await fillWithDemo(store, NOON + DAY)
  expect(await listAll(store)).toEqual(people)
})

test('the demo has four months of events for each of the first hundred people, with the causes of score changes', async () => {
  const { events, log } = await store.events.list({ after: 0, limit: 10_000 })
  expect(log.knownSince).toBe(NOON - 120 * DAY)
  const times = events.map(({ time }) => time)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times.at(-1)).toBeLessThanOrEqual(NOON)
  const causes = new Map<number, Set<string>>()
  for (const event of events) {
    if (event.type !== 'score.changed') continue
    const own = causes.get(event.passportId) ?? new Set()
    causes.set(event.passportId, own)
    for (const { cause } of event.change.credentials) own.add(cause)
  }
  expect([...causes.keys()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1))
  expect(new Set([...causes.values()].flatMap((own) => [...own]))).toEqual(
    new Set(['added', 'value', 'rules', 'time']),
  )
  for (const own of causes.values()) expect(own).toContain('value')
})

test('in the last week of the demo some scores rise, some fall, and some people are new', async () => {
  const { events } = await store.events.list({ after: 0, limit: 10_000 })
  const latest = events.filter(({ time }) => time > NOON - 7 * DAY)
  const differences = latest.flatMap((event) =>
    event.type === 'score.changed' ? [event.change.score[1] - event.change.score[0]] : [],
  )
  expect(differences.filter((difference) => difference > 0).length).toBeGreaterThan(10)
  expect(differences.filter((difference) => difference < 0).length).toBeGreaterThan(10)
  expect(latest.filter(({ type }) => type === 'passport.added')).toHaveLength(6)
})

test('only amounts that can fall do so in the demo: tokens can be withdrawn, and stamps expire', async () => {
  const { events } = await store.events.list({ after: 0, limit: 10_000 })
  const falling = events.flatMap((event) =>
    event.type === 'score.changed'
      ? event.change.credentials.filter(({ score: [before, after] }) => (after ?? 0) < (before ?? 0))
      : [],
  )
  expect(new Set(falling.map(({ type }) => type))).toEqual(new Set(['talent_vault', 'gitcoin', 'degen']))
})

test('the demo has a thousand people, one who was merged into another, and one whose score is being calculated', () => {
  expect(people.filter(({ mergedInto }) => mergedInto === undefined)).toHaveLength(1000)
  expect(people.filter(({ mergedInto }) => mergedInto !== undefined)).toMatchObject([
    { id: 1001, mergedInto: 7 },
  ])
  expect(people.filter(({ stale }) => stale).map(({ id }) => id)).toEqual([42])
  const wallets = people.flatMap(walletsOf)
  expect(new Set(wallets).size).toBe(wallets.length)
  for (const wallet of wallets) expect(wallet).toMatch(/^(?:0xde30|Demo)/)
  for (const { url } of people.flatMap(({ socials }) => socials))
    expect(url).toStartWith('https://example.com/')
})

test('nobody of the demo has a picture, because clients could not load it: V2 shows their cards', () => {
  expect(people.flatMap(({ socials }) => socials.filter(({ imageUrl }) => imageUrl !== ''))).toEqual([])
  expect(people.filter(({ imageUrl }) => imageUrl !== undefined)).toEqual([])
})

test('every score of the demo equals the result of the rules, and most of its credentials are scored by a rule', async () => {
  const scored = people.filter(({ stale }) => !stale)
  const calculated = scored.map(({ id, calculatedAt = 0 }) => ({
    id,
    calculatedAt,
    rules: DEFAULT_RULES.stamp,
  }))
  const explanations = await createExplainer(store)(calculated)
  const lines = scored.flatMap(({ id, scores }) => {
    const explanation = explanations.get(id)
    expect(explanation?.scores).toEqual(scores)
    return explanation?.lines ?? []
  })
  const share = (from: string) => lines.filter((line) => line.from === from).length / lines.length
  expect(share('rule')).toBeGreaterThan(0.8)
  expect(share('record')).toBeGreaterThan(0.05)
  expect(share('nothing')).toBe(0)
  expect(lines.some(({ accounts }) => accounts.length > 1)).toBe(true)
})

test('demo people resemble real ones: they have about 17 credentials, most totals are 10 to 120, and a few above 250', () => {
  const shareOf = (matches: (person: (typeof people)[number]) => unknown) =>
    people.filter(matches).length / people.length
  const credentials = people.reduce((sum, person) => sum + person.credentials.length, 0) / people.length
  expect(credentials).toBeWithin(15, 19)
  expect(shareOf(({ scores }) => scores.total >= 10 && scores.total <= 120)).toBeGreaterThan(0.7)
  expect(shareOf(({ scores }) => scores.total > 250)).toBeWithin(0.005, 0.08)
  expect(shareOf(({ profile }) => profile.bio && profile.location && profile.tags[0])).toBeGreaterThan(0.4)
})

test('person 1 of the demo has a complete profile and the highest score', () => {
  const [first = expect.unreachable(), ...others] = people
  expect({ ...first }).toMatchObject({
    id: 1,
    human: true,
    profile: {
      displayName: 'Ada Harborlight',
      location: 'Reykjavík',
      bio: expect.stringContaining('Invented person'),
    },
    socials: { length: 3 },
    verifiedWallets: { length: 2 },
  })
  expect(first.credentials.find(({ type }) => type === 'ens')?.value).toBe('harborada.eth')
  expect(first.scores.total).toBeGreaterThanOrEqual(Math.max(...others.map(({ scores }) => scores.total)))
})
