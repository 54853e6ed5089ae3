import { expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest } from '../../support/http/server.ts'
import { addressOf, saveRecords, withEveryEngine } from '../../support/store/engines.ts'
import { revertLastMigration, select } from '../../support/store/execute-sql.ts'
import { computeHead } from '../../support/store/hash-chain.ts'
import { openStore } from '../../support/store/open.ts'
import { recordHistory } from '../../support/store/recorded-history.ts'
import { NOON, record } from '../../support/store/records.ts'
import { adoptRules, DEFAULT_RULES, scoreNow, scorerOf, stampRules } from '../../support/store/scoring.ts'

const TYPES = [
  'passport.added',
  'passport.changed',
  'passport.merged',
  'passport.removed',
  'passport.unmerged',
  'rules.changed',
  'score.changed',
]

const { stamp: _, ...shape } = DEFAULT_RULES
const OTHER_RULES = stampRules({ ...shape, version: 'other', caps: { Skills: 3 } })

withEveryEngine('the event log', (makeDatabase) => {
  test('a migration keeps all events, proofs, earlier states and differences', async () => {
    await using database = await makeDatabase()
    const address = addressOf(database)
    const { before, read } = await (async () => {
      await using store = await openStore(address)
      const { init } = await makeKey(store, 1)
      const { end } = await recordHistory(store, 7, 25)
      await addOtherEvents(store, end)
      const readAll = (from: Store) => readHistory(from, init, end)
      return { before: await readAll(store), read: readAll }
    })()
    await revertLastMigration(database.url)
    await using store = await openStore(address)
    expect(await read(store)).toEqual(before)
    const types = await select<{ type: string }>(database.url, 'select distinct type from events')
    expect(types.map(({ type }) => type).sort()).toEqual([...TYPES, 'tombstone'])
  })
})

async function addOtherEvents(store: Store, now: number): Promise<void> {
  const people = [900, 901, 902, 903].map((id) => record(id, { scores: { total: id } }))
  await saveRecords(store, people, { now })
  await adoptRules(scorerOf(store, OTHER_RULES))
  await scoreNow(store, OTHER_RULES)
  await adoptRules(scorerOf(store))
  await store.passports.merge(902, 903, now)
  await store.passports.unmerge(902, now)
  for (const id of [900, 901]) await store.passports.hide(id, true, now)
  await store.passports.hide(901, false, now)
}

/** The responses of v3 that events determine, what movers read, and the head of all events. */
async function readHistory(store: Store, init: RequestInit, end: number): Promise<string[]> {
  await using server = serveTest(store, { now: () => end })
  const paths = ['/api/v3/log', '/api/v3/events?limit=1000', '/api/v3/events?limit=1000&include=proof']
  for (const type of TYPES) paths.push(`/api/v3/events?types=${type}`)
  for (const id of [0, 1, 2, 3, 4, 5, 6, 7, 900, 901, 902]) {
    const path = `/api/v3/passports/${id}`
    for (let time = NOON; time <= end; time += (end - NOON) / 6) {
      const instant = new Date(time).toISOString()
      paths.push(`${path}?include=credentials&as_of=${instant}`, `${path}/diff?from=${instant}`)
    }
  }
  const bodies: string[] = []
  for (const path of paths) {
    const { text } = await server.get(path, init)
    bodies.push(text.replaceAll(server.url.origin, '').replace(/"request_id":"[^"]+"/, ''))
  }
  const recent = await store.events.listRecent(Number.MAX_SAFE_INTEGER)
  return [...bodies, JSON.stringify(recent), await computeHead(store)]
}
