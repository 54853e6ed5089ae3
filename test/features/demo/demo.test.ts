import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest } from '../../support/http/server.ts'
import { walletsOf } from '../../support/program/text.ts'
import { fillWithDemo } from '../../support/store/demo.ts'
import { openTestStore, type TestStore } from '../../support/store/engines.ts'
import { NOON } from '../../support/store/records.ts'
import { createExplainer, DEFAULT_RULES, rescoreSome } from '../../support/store/scoring.ts'

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

const FOLDER = '../../../src/features'
const names = ['v1', 'passports', 'events', 'rules', 'later']
const files = await Promise.all(names.map((name) => import(`${FOLDER}/${name}/examples.json`)))
const EXAMPLES = Object.assign({}, ...files.map((file) => file.default))

const SELECT = 'passport_id,score,human_checkmark,passport_profile'

type Listed = { passport_socials?: readonly object[]; credentials?: readonly object[] }

/** Checks an example that has only the first items of its lists. */
function expectPart(body: Listed, { passport_socials: [social] = [], credentials = [], ...rest }: Listed) {
  expect(body).toMatchObject(rest)
  if (social) expect(body.passport_socials?.[0]).toEqual(social)
  for (const credential of credentials) expect(body.credentials).toContainEqual(credential)
}

test('the examples of the API are responses of the demo, with the first items of lists only', async () => {
  const now = () => Date.parse(EXAMPLES.getPassport.response.passport.last_calculated_at)
  await using store = await openTestStore('sqlite', [])
  await fillWithDemo(store, now())
  await rescoreSome({
    store,
    rules: DEFAULT_RULES,
    now,
    onFailure: (_, error) => expect.unreachable(String(error)),
  })
  await using server = serveTest(store, { now })
  const get = async (path: string) => (await server.get(`/api/${path}`)).body

  const { explanation, ...passport } = EXAMPLES.getPassportV3.response
  const shown = await get('v3/passports/42?include=credentials,standing,explanation')
  expectPart(shown, passport)
  expect(shown.explanation.lines).toContainEqual(explanation.lines[0])

  const { next, ...list } = EXAMPLES.listPassportsV3.response
  expect(await get(`v3/passports?limit=2&select=${SELECT}`)).toEqual({ ...list, next: expect.any(String) })
  expect(next).not.toBeEmpty()
  const search = `v3/search?q=human+in+reykjavik&limit=1&select=${SELECT}`
  expect(await get(search)).toEqual(EXAMPLES.searchPassportsV3.response)
  expect(await get('v3/scores')).toEqual(EXAMPLES.getScoresV3.response)
  expect(await get('v3/passports/42/diff?from=2026-10-01')).toEqual(EXAMPLES.getDiff.response)
  expect(await get(`v3/rules/${passport.rules}`)).toMatchObject(EXAMPLES.getRules.response)

  expectPart((await get('v1/passports/42')).passport, EXAMPLES.getPassport.response.passport)
  const credentials = (await get('v1/passport_credentials?passport_id=42')).passport_credentials
  expectPart({ credentials }, { credentials: EXAMPLES.listCredentials.response.passport_credentials })

  const { key } = await makeKey(store, 1)
  const headers = { 'X-API-KEY': key, 'Content-Type': 'application/json' }
  const body = JSON.stringify(EXAMPLES.lookUp.request)
  expect((await server.get('/api/v3/lookup', { method: 'POST', headers, body })).body).toEqual(
    EXAMPLES.lookUp.response,
  )
})
