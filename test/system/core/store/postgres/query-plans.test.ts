import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { SQL } from 'bun'
import type { Store } from '../../../../../src/core/store/store.ts'
import { makeKey } from '../../../../support/http/keys.ts'
import { serveTest } from '../../../../support/http/server.ts'
import { connect } from '../../../../support/postgres/connection-urls.ts'
import { INDEXED_READS, MIXED_KEYS } from '../../../../support/postgres/indexed-reads.ts'
import { type PostgresServer, startPostgres } from '../../../../support/postgres/postgres.ts'
import { logOf, TALKATIVE } from '../../../../support/postgres/postgres-log.ts'
import { openPostgres } from '../../../../support/store/open.ts'
import { NOON } from '../../../../support/store/records.ts'

describe('postgres: among 20,000 passports', () => {
  let server: PostgresServer
  let sql: SQL
  /** A cursor after most changes. */
  let cursor: string
  beforeAll(async () => {
    server = await startPostgres({ settings: TALKATIVE })
    await (await openPostgres(server)).database.close()
    sql = connect(server.url)
    await fill(sql)
    await using store = await openPostgres(server)
    cursor = (await store.listing.readEnd()).cursor.replace(/-.*/, '-19000')
  })
  afterAll(() => server[Symbol.asyncDispose]())

  /** The plans of all statements except health checks. From the sixth run on, PostgreSQL may use a generic plan. */
  async function plansOf(work: (store: Store) => unknown): Promise<string> {
    const entries = await logOf(server, async (store) => {
      for (let times = 0; times < 7; times++) await work(store)
    })
    return entries.filter((entry) => entry.startsWith('plan:') && !/as mode/.test(entry)).join('\n')
  }

  test.each(INDEXED_READS)('PostgreSQL uses an index to find %s', async (_, work, index) => {
    const plans = await plansOf((store) => work(store, cursor))
    expect(plans).toContain(index)
    expect(
      plans.match(/Seq Scan on (?!pg_|passportd|settings|event_log|mirrored|requests|saved_index).*/g) ?? [],
    ).toEqual([])
  })

  test.each([
    ['', 1, {}],
    [' as of a time', 2, { as_of: new Date(NOON).toISOString() }],
  ])('a lookup of 1,000 keys%s takes as many statements as one of 101 keys', async (_, seed, more) => {
    const countStatements = async (keys: string[]) => {
      let found = 0
      const entries = await logOf(server, async (store) => {
        const { key } = await makeKey(store, seed * 100 + (keys.length % 100))
        await using api = serveTest(store)
        const { body } = await api.get('/api/v3/lookup', {
          method: 'POST',
          headers: { 'X-API-KEY': key, 'Content-Type': 'application/json' },
          body: JSON.stringify({ keys, include: ['credentials', 'standing'], ...more }),
        })
        found = body.found
      })
      const statements = entries.filter(
        (entry) => entry.startsWith('execute') && !/as mode|pg_stat_activity/.test(entry),
      )
      return { found, statements: statements.length }
    }
    const many = MIXED_KEYS.map((key) =>
      String('id' in key ? key.id : 'handle' in key ? key.handle : key.wallet),
    )
    const some = await countStatements(many.slice(0, 101))
    expect(some.found).toBeGreaterThan(90)
    expect(some.statements).toBeGreaterThan(2)
    const all = await countStatements(many)
    expect(all.found).toBeGreaterThan(900)
    expect(all.statements).toBe(some.statements)
  })
})

/** Inserts rows directly, which is faster than through the store. */
async function fill(sql: SQL): Promise<void> {
  await sql.unsafe(`begin;
    set local session_replication_role = replica;
    insert into passports select id, case when id % 50 = 1 then id - 1 end, null, (id % 100 = 0)::integer,
      id % 1000, 0, 0, 0, 0, 0, '', null, '', 0, '0x' || id, '[]',
      '{"bio":"","display_name":"Person ' || id || '","location":"","tags":[]}', '[]',
      '{"score":0,"activity_score":0,"identity_score":0,"skills_score":0,"human_checkmark":false}'
      from generate_series(1, 20000) as id;
    insert into wallets select main_wallet, id from passports;
    insert into log_secrets select id, '' from passports;
    insert into credentials select id, '[]', null, '' from passports;
    insert into listing select id, score, 'person ' || id, '' from passports where merged_into is null;
    insert into handles select 'lens:' || id, id from passports;
    insert into data_points select id, 'ens', '', 'number', 1, '', null, '', 0, '' from passports;
    insert into data_points select id, 'github', 'a' || id % 100, 'number', 1, '', null, '', 0, 'a' || id % 100 from passports;
    insert into settings values ('watched_types', '{"unique":["github"],"expiring":[]}');
    insert into removals select id, 0 from generate_series(30000, 40000) as id;
    insert into events (sequence, passport_id, time, type, data) select id, id, 0, 'passport.added', '{"score":0,"human":false,"rules":""}'
      from passports;
    update event_log set last = 20000, known_since = 0;
    commit`)
  await sql.unsafe('vacuum analyze')
}
