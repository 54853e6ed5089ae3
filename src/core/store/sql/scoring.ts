import { type PassportRef, refKind, refValue } from '../../passport/passport.ts'
import type { WatchedTypes } from '../../passport/rules/rule-set.ts'
import { toCredentialsRow } from '../rows/credential.ts'
import { toListing } from '../rows/listing.ts'
import { IS_VISIBLE, isVisible, type StoredRow, toPassport } from '../rows/passport.ts'
import {
  type AdoptionJob,
  type Evidence,
  isAffected,
  type LoadedScorable,
  type Scorable,
  type Scored,
  type ScoringJob,
  type ScoringRules,
  scorePassport,
  toLoadedScorable,
} from '../write/apply-score.ts'
import { mapCredentialRows, mapDataPoints, saveListing } from '../write/load-and-save-write-model.ts'
import { addTaken } from '../write/unique-accounts.ts'
import { appendEvents } from '../write/write-events.ts'
import {
  type Connection,
  type Database,
  findNumber,
  listColumn,
  type Transaction,
  upsertRows,
} from './connection.ts'
import { SURVIVOR_ID } from './passports.ts'
import {
  ADOPTION_BATCH,
  findAdoptionState,
  listRules,
  nextRange,
  saveStep,
  targetRules,
  toActivated,
} from './rules.ts'
import { selectIds, selectTexts } from './words.ts'

export const STALE_COUNT = 'select count(*) as count from passports where stale <> 0 and stale = 1'

/** The id of the last event of a passport. */
const LAST_EVENT =
  "select name || '-' || (select max(sequence) from events where passport_id = $1) as id from event_log"

export function createScoring({ read, long, transaction, snapshot }: Database) {
  return {
    /**
     * Scores up to `limit` stale passports in one transaction. Other scorers skip them meanwhile, and after a crash
     * they are still stale. Returns how many it processed, or `undefined` if another rule set is in force.
     */
    async work(limit: number, job: ScoringJob): Promise<number | undefined> {
      const failed: Failure[] = []
      const count = await transaction((tx) => scoreBatch(tx, limit, job, failed), 'rules shared')
      for (const { id, error } of failed) job.onFailure(id, error)
      return count
    },
    /** Reads together with the id of the last event of the passport; `null` if the log has none. */
    find: (ref: PassportRef, watched?: WatchedTypes) =>
      snapshot((connection) => findEvidence(connection, ref, watched)),
    listByIds: async (ids: readonly number[], watched?: WatchedTypes) =>
      (await load(read, `id in (${selectIds('$1')})`, [ids], watched)).map(toEvidence),
    /** The next passports by id, without merged ones. */
    async list(afterId: number, limit: number, watched?: WatchedTypes): Promise<Scorable[]> {
      const next = 'merged_into is null and id > $1 order by id limit $2'
      return (await load(long, next, [afterId, limit], watched)).map(({ scorable }) => scorable)
    },
    countStale: () => findNumber(long.query, STALE_COUNT),
    async markAll(): Promise<void> {
      const markNext = (after: number) => transaction((tx) => markBatch(tx, after), 'records')
      for (let after: number | undefined = -1; after !== undefined; after = await markNext(after));
    },
    /**
     * Puts a rule set in force, one batch of passports per call, and marks those as stale whose score it changes. The
     * first rule set keeps the scores of records. Returns `true` after the last batch, or if another one is active.
     */
    adopt: (job: AdoptionJob) => transaction((tx) => adoptStep(tx, job), 'rules'),
  }
}

async function load(from: Connection, condition: string, values: readonly unknown[], watched?: WatchedTypes) {
  const rows = await from.query<StoredRow>(`select * from passports where ${condition}`, values)
  return loadScorables(from, rows, watched)
}

async function findEvidence(connection: Connection, ref: PassportRef, watched?: WatchedTypes) {
  const isFound = `id = ${SURVIVOR_ID[refKind(ref)]} and ${IS_VISIBLE}`
  const [loaded] = await load(connection, isFound, [refValue(ref)], watched)
  if (!loaded) return undefined
  const [event = null] = await listColumn<string | null>(connection.query, LAST_EVENT, [loaded.row.id])
  return { ...toEvidence(loaded), event }
}

const toEvidence = ({ scorable, row }: LoadedScorable): Evidence => ({
  ...scorable,
  passport: toPassport(row),
  rules: row.rules,
})

type Failure = { id: number; error: unknown }

/** Scores and saves stale passports. Returns how many it read, or `undefined` if another rule set is in force. */
async function scoreBatch(tx: Transaction, limit: number, job: ScoringJob, failed: Failure[]) {
  if ((targetRules(await findAdoptionState(tx.query)) ?? job.rules) !== job.rules) return undefined
  if (job.watched?.expiring.length) await tx.query(MARK_DUE, [job.now, limit])
  const claim = 'where stale <> 0 and stale = 1 order by id limit $1 SKIP'
  const rows = await tx.query<StoredRow>(`select * from passports ${claim}`, [limit])
  if (rows.length === 0) return 0
  const scored: Scored[] = []
  const earlier = await mapEarlierRules(tx, rows, job)
  const unique = [job, ...earlier.values()].flatMap((rules) => rules?.watched?.unique ?? [])
  for (const loaded of await loadScorables(tx, rows, { unique, expiring: [] })) {
    try {
      scored.push(scorePassport(loaded, job, earlier.get(loaded.row.rules)?.score))
    } catch (error) {
      failed.push({ id: loaded.row.id, error })
    }
  }
  await saveScores(tx, scored)
  // The next batch must not begin with the passports that failed.
  await setStale(tx, 2, failed)
  const events = scored.flatMap(({ event }) => event ?? [])
  await appendEvents(tx, events, { now: job.now, actor: 'scorer' })
  return rows.length
}

/** The other rule sets that calculated the scores of these passports, if they are known. */
async function mapEarlierRules({ query }: Connection, rows: readonly StoredRow[], job: ScoringJob) {
  const stamps = new Set(
    rows.map(({ rules }) => rules).filter((rules) => rules !== '' && rules !== job.rules),
  )
  if (stamps.size === 0) return new Map<string, ScoringRules>()
  const rules = await listRules(query, `where stamp in (${selectTexts('$1')})`, [[...stamps]])
  return new Map(rules.map((row) => [row.stamp, job.parse?.(row)]))
}

/** Marks passports as stale if a data point has expired. */
const MARK_DUE = `update passports set stale = 1, rescore_at = null
  where id in (select id from passports where rescore_at <= $1 order by rescore_at limit $2 SKIP)`

async function setStale({ query }: Connection, stale: 1 | 2, passports: readonly { id: number }[]) {
  if (passports.length === 0) return
  const ids = passports.map(({ id }) => id)
  await query(`update passports set stale = ${stale} where id in (${selectIds('$1')})`, [ids])
}

/** Scores a batch of passports with a rule set and marks changed ones as stale. Returns true after the last batch. */
async function adoptStep(tx: Transaction, job: AdoptionJob): Promise<boolean> {
  const { query } = tx
  const state = await findAdoptionState(query)
  const range = nextRange(state, job.rules)
  if (!range) return true
  // An applied rule set has no event here: it got one when it was activated.
  const events = state.active_rules === undefined ? toActivated(state, job.rules) : []
  await appendEvents(tx, events, { now: job.now, actor: 'scorer' })
  const end = await findEnd(tx, range.after)
  if (end !== undefined) {
    // A score of another database, by the same rule set, may be wrong if it depends on other passports or the time.
    const isOther = `(rules <> $3 or ${job.watched !== undefined}) and (rules <> '' or ${range.withRecordScores})`
    const next = `select * from passports where id > $1 and id <= $2 and stale <> 1 and ${isOther}`
    const rows = await query<StoredRow>(next, [range.after, end, job.rules])
    const loaded = await loadScorables(tx, rows, job.watched)
    const affected = loaded.filter((scorable) => isAffected(scorable, job)).map(({ row }) => row)
    await setStale(tx, 1, affected)
  }
  await saveStep(query, state, job, end)
  return end === undefined
}

async function findEnd({ query }: Connection, after: number): Promise<number | undefined> {
  const batch = `select id from passports where id > $1 order by id limit ${ADOPTION_BATCH}`
  return (
    (await listColumn<number | null>(query, `select max(id) from (${batch}) as batch`, [after]))[0] ??
    undefined
  )
}

/** Marks one batch as stale. Returns its last id, or `undefined` after the last passport. */
async function markBatch(tx: Transaction, after: number): Promise<number | undefined> {
  const end = await findEnd(tx, after)
  if (end === undefined) return undefined
  await tx.query('update passports set stale = 1 where id > $1 and id <= $2 and stale <> 1', [after, end])
  return end
}

async function loadScorables(connection: Connection, rows: readonly StoredRow[], watched?: WatchedTypes) {
  const ids = rows.map(({ id }) => id)
  const [credentials, points] = await Promise.all([
    mapCredentialRows(connection, ids),
    mapDataPoints(connection, ids),
  ])
  const all = watched?.unique.length ? await addTaken(connection, points, watched) : points
  return rows.map((row) => toLoadedScorable(row, all.get(row.id) ?? [], credentials.get(row.id)))
}

async function saveScores(tx: Transaction, scored: readonly Scored[]): Promise<void> {
  const changed = scored.filter(({ isUnchanged }) => !isUnchanged)
  const toRow = ({ row, credentials }: Scored) => ({ passport_id: row.id, ...toCredentialsRow(credentials) })
  await upsertRows(
    tx,
    'passports',
    ['id'],
    scored.map(({ row }) => row),
  )
  await upsertRows(tx, 'credentials', ['passport_id'], changed.map(toRow))
  const listed = scored.filter(({ row }) => isVisible(row))
  await saveListing(
    tx,
    listed.map(({ row, credentials }) => toListing(row, credentials)),
  )
}
