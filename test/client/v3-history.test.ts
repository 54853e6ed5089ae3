import { expect, test } from 'bun:test'
import { CursorExpiredError, createClient, type V3Event } from '../../packages/client/src/index.ts'
import { makeKey } from '../support/http/keys.ts'
import { failureOf, serveRecords } from '../support/http/server.ts'
import { saveRecords } from '../support/store/engines.ts'
import { credential, NOON, record } from '../support/store/records.ts'
import { adoptRules, DEFAULT_RULES, scorerOf } from '../support/store/scoring.ts'

const HOUR = 3_600_000
const at = (hours: number) => new Date(NOON + hours * HOUR)

/** The score of passport 7 was 10 at noon, and 14 an hour later. The server's clock is two hours after noon. */
async function serve() {
  const server = await serveRecords({ now: () => NOON + 2 * HOUR }, [])
  const save = (total: number, hours: number) => {
    const credentials = [credential('c', { type: 'github', score: total })]
    const given = { scores: { total, identity: total }, credentials, calculatedAt: NOON + total }
    return saveRecords(server.store, [record(7, given)], { now: NOON + hours * HOUR })
  }
  await save(10, 0)
  await save(14, 1)
  const { key } = await makeKey(server.store, 1)
  return { ...server, v3: createClient({ baseUrl: server.url, apiKey: key }).v3 }
}

const scoreOf = (event: V3Event | undefined) =>
  event?.type === 'score.changed' || event?.type === 'passport.added' ? event.data.score : undefined

test('passports and lookups can be read as of a time, but not as of a time before the event log begins', async () => {
  await using service = await serve()
  const { v3 } = service
  expect((await v3.passport(7)).score).toBe(14)
  expect((await v3.passport(7, { asOf: at(0.5) })).score).toBe(10)
  const past = await v3.passport(7, { asOf: at(0.5).toISOString(), include: ['credentials', 'standing'] })
  expect(past.credentials).toMatchObject([{ type: 'github', score: 10 }])
  expect(past.standing).toBeNull()
  const { items } = await v3.lookup([7, 8], { asOf: at(0.5), select: ['score'] })
  expect(items).toEqual([
    { key: '7', passport: { score: 10 } },
    { key: '8', error: 'not_found' },
  ])
  expect(await failureOf(v3.passport(7, { asOf: '2020-01-01' }))).toMatchObject({
    code: 'before_history',
    status: 404,
    members: { known_since: at(0).toISOString() },
  })
  expect(await failureOf(v3.passport(7, { asOf: at(3) }))).toMatchObject({
    code: 'invalid_request',
    errors: [{ pointer: '?as_of' }],
  })
})

test('a diff has the scores at both times, and causes that add up to the difference', async () => {
  await using service = await serve()
  const expected = {
    passport_id: 7,
    from: at(0.5).toISOString(),
    score: [10, 14],
    causes: [{ type: 'github', delta: 4, cause: 'record' }],
  }
  expect(await service.v3.diff(7, at(0.5), at(1.5))).toMatchObject({ ...expected, to: at(1.5).toISOString() })
  expect(await service.v3.diff('7', at(0.5).toISOString())).toMatchObject(expected)
  expect(await failureOf(service.v3.diff(9, at(0.5)))).toMatchObject({ code: 'not_found' })
})

test('rules() returns a rule set by its stamp, and cursor() the end of the event log', async () => {
  await using service = await serve()
  const { v3, store } = service
  await adoptRules(scorerOf(store))
  const { stamp } = DEFAULT_RULES
  const rules = await v3.rules(stamp)
  expect(rules).toEqual((await service.get(`/api/v3/rules/${encodeURIComponent(stamp)}`)).body)
  expect(rules.types.github?.name).toBe('GitHub')
  expect(await failureOf(v3.rules('1+x'))).toMatchObject({ code: 'not_found' })
  const cursor = await v3.cursor()
  expect((await Array.fromAsync(v3.events())).at(-1)?.id).toBe(cursor)
  expect(await Array.fromAsync(v3.events({ after: cursor }))).toEqual([])
})

test('events() reads the events of all or some types, from a cursor to the end', async () => {
  await using service = await serve()
  const { v3 } = service
  const all = await Array.fromAsync(v3.events())
  expect(all.map(scoreOf)).toEqual([10, [10, 14]])
  const after = all[0]?.id
  expect(await Array.fromAsync(v3.events({ after }))).toEqual(all.slice(1))
  const added: V3Event[] = await Array.fromAsync(v3.events({ types: ['passport.added'], passport: 7 }))
  expect(added).toEqual(all.slice(0, 1))
  expect(await Array.fromAsync(v3.events({ passport: 8 }))).toEqual([])
  expect(await Array.fromAsync(v3.events({ after: 'latest' }))).toEqual([])
  for (const follow of [false, true]) {
    const expired = await failureOf(Array.fromAsync(v3.events({ after: 'foreign-1', follow })))
    expect(expired).toBeInstanceOf(CursorExpiredError)
    const { oldestCursor } = expired as CursorExpiredError
    expect(await Array.fromAsync(v3.events({ after: oldestCursor }))).toEqual(all)
  }
})
