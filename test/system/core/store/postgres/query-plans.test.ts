import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { SQL } from 'bun'
import type { ScoringJob } from '../../../../../src/core/store/scoring-store.ts'
import type { Store } from '../../../../../src/core/store/store.ts'
import { makeKey } from '../../../../support/http/keys.ts'
import { serveTest } from '../../../../support/http/server.ts'
import { connect } from '../../../../support/postgres/connection-urls.ts'
import { type PostgresServer, startPostgres } from '../../../../support/postgres/postgres.ts'
import { logOf, TALKATIVE } from '../../../../support/postgres/postgres-log.ts'
import { listLater } from '../../../../support/store/events-after-time.ts'
import { CREDENTIAL_BODIES, openPostgres, V1_BODIES } from '../../../../support/store/open.ts'
import { NOON } from '../../../../support/store/records.ts'

/** A cursor after all changes. */
const CURSOR = '0:-1:99999999'

describe('postgres: among 20,000 passports', () => {
  let server: PostgresServer
  let sql: SQL
  beforeAll(async () => {
    server = await startPostgres({ settings: TALKATIVE })
    await (await openPostgres(server)).close()
    sql = connect(server.url)
    await fill(sql)
  })
  afterAll(() => server[Symbol.asyncDispose]())

  /** The plans of all statements except health checks. From the sixth run on, PostgreSQL may use a generic plan. */
  async function plansOf(work: (store: Store) => unknown): Promise<string> {
    const entries = await logOf(server, async (store) => {
      for (let times = 0; times < 7; times++) await work(store)
    })
    return entries.filter((entry) => entry.startsWith('plan:') && !/as writes/.test(entry)).join('\n')
  }

  const scoreNothing: ScoringJob = {
    rules: 'test',
    now: NOON,
    score: ({ scores, recordCredentials }) => ({ scores, human: false, credentials: recordCredentials }),
    onFailure: () => undefined,
  }

  const mergeAndUnmerge = async ({ passports }: Store) => {
    await passports.merge(77, 78)
    await passports.unmerge(77)
  }
  const ONE_PASSPORT = { after: 0, limit: 100, passport: 77 }
  let next = 1000
  const removeNext = ({ passports }: Store) => {
    next += 50
    return passports.remove(next, NOON)
  }

  test.each<[string, (store: Store) => unknown, string]>([
    ['a passport by id', (store) => store.passports.find({ id: 77 }), 'passports_pkey'],
    ['a passport by wallet', (store) => store.passports.find({ wallet: '0x77' }), 'wallets_pkey'],
    ['a response by id', (store) => store.data(V1_BODIES).findPassport({ id: 77 }), 'v1_passports_pkey'],
    [
      'a response by wallet',
      (store) => store.data(V1_BODIES).findPassport({ wallet: '0x77' }),
      'v1_passports_pkey',
    ],
    ['the survivor of a merge', (store) => store.data(V1_BODIES).findPassport({ id: 51 }), 'passports_pkey'],
    [
      'a passport by handle',
      (store) => store.v3.find([{ handle: 'lens:51', wallet: '' }], FULL),
      'handles_pkey',
    ],
    ['handles with a prefix', (store) => store.search.listHandles('lens:77', 9), 'handles_pkey'],
    ['names with a prefix', (store) => store.search.listNames('77', 9), 'handles_pkey'],
    ['wallets with a prefix', (store) => store.search.listWallets('0x77', 9), 'wallets_pkey'],
    ['passports by mixed keys', (store) => store.v3.find(MIXED_KEYS, FULL), 'passports_pkey'],
    ['a page of the list', (store) => store.data(V1_BODIES).listItems([77, 78, 79]), 'v1_passports_pkey'],
    ['the facets of some', (store) => store.facets.list([77, 78, 79]), 'facets_pkey'],
    [
      'the credentials of one',
      (store) => store.data(CREDENTIAL_BODIES).find({ id: 77 }),
      'v1_credentials_pkey',
    ],
    ['changes of the ranking', (store) => store.listing.readChanges(CURSOR), 'v1_passports_by_version'],
    ['a stale passport', (store) => store.scoring.work(5, scoreNothing), 'passports_stale'],
    ['accounts of other passports', (store) => store.scoring.list(76, 5, WATCHED), 'data_points_by_account'],
    [
      'expired data points',
      (store) => store.scoring.work(5, { ...scoreNothing, watched: WATCHED }),
      'passports_by_rescore',
    ],
    ['the number of stale passports', (store) => store.scoring.countStale(), 'passports_stale'],
    ['a batch of an export', (store) => store.records.list(77, 50), 'passports_pkey'],
    ['a page of events', (store) => store.events.list({ after: 7000, limit: 100 }), 'events_pkey'],
    ['the events of a passport', (store) => store.events.list(ONE_PASSPORT), 'events_by_passport'],
    ['later events of passports', (store) => listLater(store, [7, 8], 0), 'events_by_passport'],
    [
      'the latest events of a passport',
      (store) => store.events.listLatest(77, ['score.changed'], 60),
      'events_by_passport',
    ],
    ['a row that a merge locks', mergeAndUnmerge, 'passports_pkey'],
    ['a row that a removal locks', removeNext, 'passports_by_survivor'],
    ['the next passport with an account', removeNext, 'data_points_by_account'],
  ])('PostgreSQL uses an index to find %s', async (_, work, index) => {
    const plans = await plansOf(work)
    expect(plans).toContain(index)
    expect(
      plans.match(/Seq Scan on (?!passportd|versions|settings|event_log|event_rules|mirrored|requests).*/g) ??
        [],
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
        (entry) => entry.startsWith('execute') && !/as writes|pg_stat_activity/.test(entry),
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

const FULL = { credentials: true }

const WATCHED = { unique: ['github'], expiring: ['github'] }

/** Keys of every kind. Some passports are merged or unknown. */
const MIXED_KEYS = Array.from({ length: 1000 }, (_, at) => {
  const id = at * 21
  return at % 3 === 0
    ? { id }
    : at % 3 === 1
      ? { wallet: `0x${id}` }
      : { handle: `lens:${id}`, wallet: `lens:${id}` }
})

/** Inserts rows directly, which is faster than through the store. */
async function fill(sql: SQL): Promise<void> {
  await sql.unsafe(`begin;
    set local session_replication_role = replica;
    insert into passports select id, id % 1000, 0, 0, 0, (id % 100 = 0)::integer, 0, 0, 0,
      '0x' || id, '[]', 'Person ' || id, '', '', '[]', '[]', case when id % 50 = 1 then id - 1 end, 0, '', ''
      from generate_series(1, 20000) as id;
    insert into wallets select main_wallet, id from passports;
    insert into log_secrets select id from passports;
    insert into credentials select id, '[]' from passports;
    insert into v1_passports (passport_id, score, name, fields, more_fields, etag, merged)
      select id, score, 'person ' || id, '{}', '{}', '', 0 from passports where merged_into is null;
    insert into v1_credentials select passport_id, '{"passport_credentials":[]}', '' from v1_passports;
    insert into facets select passport_id from v1_passports;
    insert into handles select 'lens:' || id, id from passports;
    insert into data_points select id, 'ens', '', 'number', 1, '', null from passports;
    insert into data_points select id, 'github', 'a' || id % 100, 'number', 1, '', null, '', 0, 'a' || id % 100 from passports;
    insert into settings values ('watched_types', '{"unique":["github"],"expiring":[]}');
    insert into unlisted (passport_id) select generate_series(30000, 40000);
    insert into removals select id, 0 from generate_series(30000, 40000) as id;
    insert into event_rules (stamp) values ('');
    insert into events (sequence, passport_id, time, type, data) select id, id, 0, 1, '[0,0,1]' from passports;
    update event_log set last = 20000, known_since = 0;
    commit`)
  await sql.unsafe('vacuum analyze')
}
