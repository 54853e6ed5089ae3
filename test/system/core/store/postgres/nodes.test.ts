import { describe, expect, test } from 'bun:test'
import type { Store } from '../../../../../src/core/store/store.ts'
import type { ScoringJob } from '../../../../../src/core/store/write/apply-score.ts'
import { createLocalIndex, listAll, RANKING } from '../../../../support/index/local-index.ts'
import { owning } from '../../../../support/owning.ts'
import { connect } from '../../../../support/postgres/connection-urls.ts'
import { ServiceError } from '../../../../support/program/errors.ts'
import { databaseMaker, saveRecords } from '../../../../support/store/engines.ts'
import { openPostgres } from '../../../../support/store/open.ts'
import { apiKey, dataPoint, NOON, named, record } from '../../../../support/store/records.ts'
import { until } from '../../../../support/wait-until.ts'

const key = apiKey('one', { name: 'Ada' })

async function openTwo() {
  const database = await databaseMaker('postgres')()
  const [one, other] = await Promise.all([openPostgres(database), openPostgres(database)])
  const sql = connect(database.url)
  return owning({ one, other, sql }, database, one, other, sql)
}

const people = (count: number) => Array.from({ length: count }, (_, id) => named(id, `Person ${id}`))

const calculations = new Map<number, number>()

/** Each calculation gives one point more. */
const addOne = (rules: string): ScoringJob => ({
  rules,
  now: NOON,
  score({ id, recordCredentials: credentials }) {
    const total = (calculations.get(id) ?? 0) + 1
    calculations.set(id, total)
    return { scores: { total, activity: 0, identity: 0, skills: 0 }, human: false, credentials }
  },
  onFailure(id, error) {
    throw new Error(`passport ${id}`, { cause: error })
  },
})

/** Scores until no passport is stale or another rule set is in force; returns the number of scored passports. */
async function workOff({ scoring }: Store, work: ScoringJob): Promise<number> {
  let done = 0
  for (;;) {
    const some = await scoring.work(10, work)
    if (!some) return done
    done += some
  }
}

async function adopt({ scoring }: Store, rules: string): Promise<void> {
  while (!(await scoring.adopt(addOne(rules))));
}

describe('postgres: two nodes', () => {
  test('a node sees passports that another node adds, changes or removes', async () => {
    await using nodes = await openTwo()
    const { one, other } = nodes
    expect(await listAll(other)).toMatchObject({ total: 0 })
    await saveRecords(one, [named(1, 'Ada', 5), named(2, 'Bob', 4)])
    await until(async () => (await listAll(other)).total === 2)
    expect((await listAll(other, { keyword: 'ada' })).total).toBe(1)
    await saveRecords(one, [named(2, 'Robert', 6)])
    await until(async () => (await listAll(other)).items[0]?.id === 2)
    expect((await listAll(other, { keyword: 'robert' })).total).toBe(1)
    await one.passports.remove(2, NOON)
    expect(await other.passports.find({ id: 2 })).toBeUndefined()
    await until(async () => (await listAll(other)).total === 1)
  })

  test('a new key works on all nodes at once, and a revoked key stops working on all nodes soon', async () => {
    await using nodes = await openTwo()
    const { one, other } = nodes
    expect(await other.keys.find('one')).toBeUndefined()
    await one.keys.create(key)
    expect(await other.keys.find('one')).toEqual(key)
    await one.keys.revoke('one', NOON)
    expect(await one.keys.find('one')).toEqual({ ...key, revokedAt: NOON })
    await until(async () => (await other.keys.find('one'))?.revokedAt === NOON)
  })

  test('two nodes share the work of scoring, and each stale passport is scored once', async () => {
    await using nodes = await openTwo()
    const { one, other, sql } = nodes
    await saveRecords(one, people(120))
    await one.scoring.markAll()
    calculations.clear()
    const shares = await Promise.all([workOff(one, addOne('a')), workOff(other, addOne('a'))])
    expect(shares[0] + shares[1]).toBe(120)
    expect(Math.min(...shares)).toBeGreaterThan(0)
    const counted =
      await sql`select score, stale, count(*)::integer as passports from passports group by 1, 2`
    expect([...counted]).toEqual([{ score: 1, stale: 0, passports: 120 }])
  })

  test('no score by the old rules is left after one node adopted new rules while the other was scoring', async () => {
    await using nodes = await openTwo()
    const { one, other, sql } = nodes
    await saveRecords(
      one,
      people(80).map((each) => ({ ...each, dataPoints: [dataPoint('chess', 1)] })),
    )
    for (let round = 1; round <= 3; round++) {
      const [old, young] = [`rules ${round - 1}`, `rules ${round}`]
      await adopt(one, old)
      await one.scoring.markAll()
      const working = workOff(one, addOne(old))
      await until(async () => (await other.scoring.countStale()) < 80)
      await adopt(other, young)
      await working
      expect(await one.scoring.work(10, addOne(old))).toBeUndefined()
      expect(await sql`select from passports where stale = 0 and rules <> ${young}`).toHaveLength(0)
      expect(await workOff(other, addOne(young))).toBe(80)
    }
  })
})

const PEOPLE = 60

/** Ignores refusals, because the passport may be merged or removed already. */
async function orRefused(change: unknown): Promise<void> {
  try {
    await change
  } catch (error) {
    const isRefusal = error instanceof ServiceError && error.code !== 'unavailable'
    if (!isRefusal) throw error
  }
}

const batch = (round: number, step: number) =>
  Array.from({ length: PEOPLE }, (_, at) => {
    const id = (at * step) % PEOPLE
    return record(id, {
      mainWallet: `0x${(id + round) % PEOPLE}`,
      stale: true,
      connections: round * 10 + step,
      profile: { displayName: `Person ${id} ${round}` },
    })
  })

test('postgres: two nodes that change the same passports never deadlock, and leave consistent tables', async () => {
  await using nodes = await openTwo()
  const { one, other, sql } = nodes
  await saveRecords(one, people(PEOPLE))
  await adopt(one, 'a')
  for (let round = 1; round <= 6; round++) {
    const id = round * 3
    await Promise.all([
      saveRecords(one, batch(round, 1)),
      saveRecords(other, batch(round + 1, PEOPLE - 1)),
      workOff(one, addOne('a')),
      workOff(other, addOne('a')),
      other.scoring.markAll(),
      one.scoring.markAll(),
      orRefused(one.passports.merge(id, id + 1)),
      orRefused(other.passports.merge(id + 1, id)),
      orRefused(other.passports.remove(id + 2, NOON)),
      orRefused(one.passports.remove(id - 1, NOON)),
      orRefused(other.passports.unmerge(id - 3)),
      one.records.list(0, 100),
    ])
  }
  const broken = {
    wallets: await sql`select from wallets where passport_id not in (select id from passports)`,
    listing: await sql`select from listing left join passports on id = passport_id
      where id is null or merged_into is not null or listing.score <> passports.score`,
    unlisted: await sql`select from passports left join listing on id = passport_id
      where merged_into is null and passport_id is null`,
    credentials: await sql`select from passports full join credentials on passport_id = id
      where id is null or passport_id is null`,
    facets: await sql`select from listing where split_part(facets, chr(9), 4)::float8 <> score`,
    removed: await sql`select from passports join removals on id = passport_id`,
    circles:
      await sql`select from passports as a join passports as b on a.merged_into = b.id and b.merged_into = a.id`,
  }
  for (const [what, rows] of Object.entries(broken)) expect([what, rows.length]).toEqual([what, 0])
  await workOff(one, addOne('a'))
  expect(await other.scoring.countStale()).toBe(0)
})

test('postgres: the next read of changes includes a transaction that was still open at the last read', async () => {
  await using nodes = await openTwo()
  const { one, other, sql } = nodes
  await saveRecords(one, [named(1, 'Early', 1), named(2, 'Late', 2)])
  const index = createLocalIndex(other)
  const idsNow = async () => (await index.call('list', { request: { ...RANKING, limit: 9 } })).ids
  expect(await idsNow()).toEqual([2, 1])
  const version = await sql.begin(async (transaction) => {
    await transaction`update listing set facets = regexp_replace(facets, ${'^((.*?\t){3})[^\t]*'}, '\\1' || '9')
      where passport_id = 1`
    // Another transaction commits and is read before this one has the number of its event.
    await saveRecords(one, [named(3, 'Between', 3)])
    expect(await idsNow()).toEqual([3, 2, 1])
    const version = await index.version()
    const [log] = await transaction`update event_log set last = last + 1 returning last`
    await transaction`insert into events (sequence, passport_id, time, type, data) values (${log.last}, 1, 0, 'passport.changed', '{}')`
    expect(await index.version()).toBe(version)
    return version
  })
  expect(await idsNow()).toEqual([1, 3, 2])
  expect(await index.version()).toBeGreaterThan(version)
})
