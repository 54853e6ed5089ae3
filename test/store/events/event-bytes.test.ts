import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { manyPeople } from '../../../bench/support/data-set.ts'
import { bytesPerEvent } from '../../../bench/support/event-bytes.ts'
import { adoptRules, rescoreSome } from '../../../src/scoring/rescore.ts'
import { DEFAULT_RULES, stampRules } from '../../../src/scoring/rules.ts'
import { openPostgres } from '../../../src/store/postgres/open.ts'
import { openSqlite } from '../../../src/store/sqlite/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { connect } from '../../support/postgres/connect.ts'
import { databaseMaker, saveRecords } from '../../support/store/engines.ts'
import { scorerOf } from '../../support/store/random-histories.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const PEOPLE = 600
const { stamp: _, ...shape } = DEFAULT_RULES
const OTHER_RULES = stampRules({ ...shape, version: '2027-01', caps: { Skills: 20 } })

/** Imports people, and scores them by two rule sets. */
async function fill(store: Store): Promise<void> {
  const people = [...manyPeople(PEOPLE)]
  for (let at = 0; at < PEOPLE; at += 200) await saveRecords(store, people.slice(at, at + 200))
  for (const rules of [DEFAULT_RULES, OTHER_RULES]) {
    await adoptRules({ store, rules })
    if (rules === DEFAULT_RULES) continue
    await store.scoring.markAll()
    while (await rescoreSome({ ...scorerOf(store), rules }));
  }
  expect((await store.events.log()).last).toBe(2 * PEOPLE + 2)
}

test('sqlite: an event takes at most 100 bytes on average, index included', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  const store = openSqlite(path)
  await fill(store)
  await store.close()
  expect(bytesPerEvent(new Database(path))).toBeLessThanOrEqual(100)
})

test('postgres: an event takes at most 180 bytes on average, indexes included', async () => {
  await using database = await databaseMaker('postgres')()
  const store = await openPostgres(database)
  await fill(store)
  await store.close()
  const sql = connect(database.url)
  const [row] = await sql.unsafe(
    `select (pg_relation_size('events') + pg_indexes_size('events'))::float8 / (select count(*) from events) as bytes`,
  )
  await sql.close()
  expect(row.bytes).toBeLessThanOrEqual(180)
})
