import { toCredentialData } from '../rows/credential.ts'
import type { StoredRow } from '../rows/passport.ts'
import { toV1CredentialsRow, toV1PassportRow } from '../rows/v1.ts'
import { STALE_COUNT } from '../sql/counts.ts'
import type { AdoptionJob, ScoringStore } from '../store.ts'
import { isAffected, type Scored, scorePassport, toLoadedScorable } from '../write/apply-score.ts'
import {
  ADOPTION_BATCH,
  FIND_BATCH_END,
  MARK_RANGE,
  nextRange,
  SCORED_BY_OTHERS,
  stateAfterStep,
  targetRules,
  toRulesChanged,
} from '../write/rule-adoption.ts'
import type { Pool } from './connection/health-checked-pool.ts'
import { lock, lockForWriting, lockShared, RULES } from './connection/locks.ts'
import { type Query, selectRows, upsertRows } from './connection/query.ts'
import { findScorable, mapCredentialRows, mapDataPoints } from './credentials-and-points.ts'
import { appendEvents } from './events.ts'
import { saveV1 } from './save-changes.ts'
import { findAdoptionState, saveAdoptionState } from './settings.ts'
import { incrementVersion } from './versions.ts'

export function createScoring({ query, longQuery, transaction }: Pool): ScoringStore {
  return {
    async work(limit, job) {
      const { rules, now, onFailure } = job
      const failed: { id: number; error: unknown }[] = []
      const count = await transaction(async (query) => {
        await lockShared(query, RULES)
        const target = targetRules(await findAdoptionState(query)) ?? rules
        if (target !== rules) return undefined
        const rows = await selectRows<StoredRow>(
          query,
          'passports',
          'where stale <> 0 and stale = 1 order by id limit $1 for update skip locked',
          [limit],
        )
        const scored: Scored[] = []
        for (const loaded of await loadScorables(query, rows)) {
          try {
            scored.push(scorePassport(loaded, job))
          } catch (error) {
            failed.push({ id: loaded.row.id, error })
          }
        }
        await saveScores(query, scored)
        // A failed passport must not block the others.
        if (failed.length > 0) {
          await query('update passports set stale = 2 where id = any($1::bigint[])', [
            failed.map(({ id }) => id),
          ])
        }
        await appendEvents(query, { events: scored.flatMap(({ event }) => event ?? []), removed: [] }, now)
        if (scored.length > 0) await incrementVersion(query, 'ranking')
        return rows.length
      })
      for (const { id, error } of failed) onFailure(id, error)
      return count
    },

    find: (ref) => findScorable(query, ref),

    async listByIds(ids) {
      const rows = await selectRows<StoredRow>(query, 'passports', 'where id = any($1::bigint[])', [ids])
      return (await loadScorables(query, rows)).map(({ scorable }) => scorable)
    },

    async list(afterId, limit) {
      const rest = 'where merged_into is null and id > $1 order by id limit $2'
      const rows = await selectRows<StoredRow>(longQuery, 'passports', rest, [afterId, limit])
      return (await loadScorables(longQuery, rows)).map(({ scorable }) => scorable)
    },

    async countStale() {
      const [row] = await longQuery<{ count: number }>(STALE_COUNT)
      return row?.count ?? 0
    },

    async markAll() {
      const markNext = (after: number) =>
        transaction(async (query) => {
          await lockForWriting(query)
          return markBatch(query, after)
        })
      for (let after: number | undefined = -1; after !== undefined; after = await markNext(after));
    },

    adopt: (job) =>
      transaction(async (query) => {
        await lock(query, RULES)
        return adoptStep(query, job)
      }),
  }
}

/** Compares one batch with a rule set, and marks the affected passports. Returns whether it was the last batch. */
async function adoptStep(query: Query, job: AdoptionJob): Promise<boolean> {
  const state = await findAdoptionState(query)
  const range = nextRange(state, job.rules)
  if (!range) return true
  await appendEvents(query, { events: toRulesChanged(state, job.rules), removed: [] }, job.now)
  const end = await findEnd(query, range.after)
  if (end !== undefined) {
    const values = [range.after, end, job.rules, range.withRecordScores]
    const rows = await selectRows<StoredRow>(query, 'passports', SCORED_BY_OTHERS, values)
    const affected = (await loadScorables(query, rows)).filter((loaded) => isAffected(loaded, job))
    const ids = affected.map(({ row }) => row.id)
    if (ids.length > 0) {
      await query('update passports set stale = 1 where id = any($1::bigint[])', [ids])
      await incrementVersion(query, 'ranking')
    }
  }
  await saveAdoptionState(query, stateAfterStep(state, job.rules, end))
  return end === undefined
}

async function findEnd(query: Query, after: number): Promise<number | undefined> {
  const [batch] = await query<{ id: number | null }>(FIND_BATCH_END, [after, ADOPTION_BATCH])
  return batch?.id ?? undefined
}

/** Marks one batch; returns its last id, or `undefined` after the last passport. */
async function markBatch(query: Query, after: number): Promise<number | undefined> {
  const end = await findEnd(query, after)
  if (end === undefined) return undefined
  const rows = await query(`${MARK_RANGE} returning 1 as one`, [after, end])
  if (rows.length > 0) await incrementVersion(query, 'ranking')
  return end
}

async function loadScorables(query: Query, rows: readonly StoredRow[]) {
  const ids = rows.map(({ id }) => id)
  const [credentials, points] = await Promise.all([mapCredentialRows(query, ids), mapDataPoints(query, ids)])
  return rows.map((row) => toLoadedScorable(row, credentials.get(row.id), points.get(row.id) ?? []))
}

async function saveScores(query: Query, scored: readonly Scored[]): Promise<void> {
  await upsertRows(
    query,
    'passports',
    'id',
    scored.map(({ row }) => row),
  )
  await upsertRows(
    query,
    'credentials',
    'passport_id',
    scored.map(({ row, credentials }) => ({
      passport_id: row.id,
      data: toCredentialData(credentials, row.merged_into === null),
    })),
    'credentials.data <> excluded.data',
  )
  await renderPassports(query, scored)
}

async function renderPassports(query: Query, passports: readonly Scored[]): Promise<void> {
  const listed = passports.filter(({ row }) => row.merged_into === null)
  const survivors = await query<{ id: number }>(
    'select distinct merged_into::float8 as id from passports where merged_into = any($1::bigint[])',
    [listed.map(({ row }) => row.id)],
  )
  const merged = new Set(survivors.map(({ id }) => id))
  await saveV1(
    query,
    listed.map(({ row }) => toV1PassportRow(row, merged.has(row.id))),
    listed.map(({ row, credentials }) => toV1CredentialsRow(row.id, credentials)),
  )
}
