import type { Credential } from '../../domain/credential.ts'
import type { PassportRef } from '../../domain/passport.ts'
import { ADOPT_STEP, applyScore, toScorable } from '../apply-score.ts'
import { STALE_COUNT } from '../rows/counts.ts'
import { toCredentialData } from '../rows/credential.ts'
import type { StoredRow } from '../rows/passport.ts'
import { toV1CredentialsRow, toV1PassportRow } from '../rows/v1.ts'
import type { ScoringStore } from '../store.ts'
import type { Link } from './connection/health-checked-pool.ts'
import { lock, lockForWriting, lockShared, RULES } from './connection/locks.ts'
import { type Query, selectRows, upsertRows } from './connection/query.ts'
import { mapCredentials, mapDataPoints } from './credentials-and-points.ts'
import { saveV1 } from './save-changes.ts'
import { createSettings } from './settings.ts'
import { bump } from './versions.ts'

type Scored = { row: StoredRow; credentials: readonly Credential[] }

export function createScoring(
  { query, longQuery, transaction }: Link,
  find: (ref: PassportRef) => Promise<number | undefined>,
): ScoringStore {
  return {
    async work(limit, { rules, now, score, onFailure }) {
      const failed: { id: number; error: unknown }[] = []
      const count = await transaction(async (query) => {
        await lockShared(query, RULES)
        const settings = createSettings(query)
        const inForce = (await settings.get('adopting')) ?? (await settings.get('rules')) ?? rules
        if (inForce !== rules) return undefined
        const rows = await selectRows<StoredRow>(
          query,
          'passports',
          'where stale <> 0 and stale = 1 order by id limit $1 for update skip locked',
          [limit],
        )
        const scored: Scored[] = []
        for (const { row, all, scorable } of await loadScorables(query, rows)) {
          try {
            scored.push(applyScore(row, all, score(scorable), { rules, now }))
          } catch (error) {
            failed.push({ id: row.id, error })
          }
        }
        await saveScores(query, scored)
        // One that cannot be scored must not keep the others waiting.
        if (failed.length > 0) {
          await query('update passports set stale = 2 where id = any($1::bigint[])', [
            failed.map(({ id }) => id),
          ])
        }
        if (scored.length > 0) await bump(query, 'ranking')
        return rows.length
      })
      for (const { id, error } of failed) onFailure(id, error)
      return count
    },

    async find(ref) {
      const id = await find(ref)
      if (id === undefined) return undefined
      const rows = await selectRows<StoredRow>(query, 'passports', 'where id = $1', [id])
      const [loaded] = await loadScorables(query, rows)
      return loaded?.scorable
    },

    async countStale() {
      const [row] = await longQuery<{ count: number }>(STALE_COUNT)
      return row?.count ?? 0
    },

    async markAll() {
      const markNext = (after: number) =>
        transaction(async (query) => {
          await lockForWriting(query)
          return markStep(query, after, { except: null, given: true })
        })
      for (let after: number | undefined = -1; after !== undefined; after = await markNext(after));
    },

    adopt: (rules) =>
      transaction(async (query) => {
        await lock(query, RULES)
        return adoptStep(query, rules)
      }),
  }
}

async function adoptStep(query: Query, rules: string): Promise<boolean> {
  const settings = createSettings(query)
  const inForce = await settings.get('rules')
  const adopting = await settings.get('adopting')
  if (inForce === rules && adopting === undefined) return true
  const after = adopting === rules ? Number(await settings.get('adopted_to')) : -1
  // Scores that records brought along stand until a rule set follows another.
  const end = await markStep(query, after, { except: rules, given: inForce !== undefined })
  if (end !== undefined) {
    await settings.set('adopting', rules)
    await settings.set('adopted_to', String(end))
    return false
  }
  await settings.set('rules', rules)
  await settings.remove('adopting')
  await settings.remove('adopted_to')
  return true
}

/** Marks the passports of one step as stale; gives back where the step ended, or `undefined` at the end. */
async function markStep(
  query: Query,
  after: number,
  { except, given }: { except: string | null; given: boolean },
): Promise<number | undefined> {
  const [step] = await query<{ id: number | null }>(
    `select max(id)::float8 as id from (select id from passports where id > $1 order by id limit $2) as step`,
    [after, ADOPT_STEP],
  )
  const end = step?.id ?? undefined
  if (end === undefined) return undefined
  const rows = await query(
    `update passports set stale = 1 where id > $1 and id <= $2 and stale <> 1
       and ($3::text is null or rules <> $3) and (rules <> '' or $4::boolean) returning 1 as one`,
    [after, end, except, given],
  )
  if (rows.length > 0) await bump(query, 'ranking')
  return end
}

async function loadScorables(query: Query, rows: readonly StoredRow[]) {
  const ids = rows.map(({ id }) => id)
  const [credentials, points] = await Promise.all([mapCredentials(query, ids), mapDataPoints(query, ids)])
  return rows.map((row) => {
    const all = credentials.get(row.id) ?? []
    return { row, all, scorable: toScorable(row, all, points.get(row.id) ?? []) }
  })
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

/** Stores the V1 responses of listed passports. */
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
