import type { Credential } from '../../domain/credential.ts'
import type { DataPoint } from '../../domain/data-point.ts'
import type { PassportRef } from '../../domain/passport.ts'
import { diffCredentials, toCredentialRow } from '../rows/credential.ts'
import { type ScoreRow, toScoreRow, toScores } from '../rows/passport.ts'
import type { Scorable, ScoringStore } from '../store.ts'
import { CREDENTIAL_COLUMNS, SCORABLE_COLUMNS, SCORED_COLUMNS } from './columns.ts'
import { mapCredentials, mapDataPoints } from './evidence.ts'
import type { Link } from './link.ts'
import { lock, lockForWriting, lockShared, RULES } from './locks.ts'
import { insertRows, type Query, selectable } from './query.ts'
import { createSettings } from './settings.ts'
import { bump } from './versions.ts'

type StaleRow = ScoreRow & { id: number; given_human: number; rules: string }
type Done = {
  row: StaleRow
  scores: ScoreRow
  human: number
  before: Credential[]
  after: readonly Credential[]
}

/** How many passports a new rule set marks in one transaction. */
const ADOPT_STEP = 5000

const COLUMNS = selectable(SCORABLE_COLUMNS)

type Parts = { find: (ref: PassportRef) => Promise<number | undefined>; onChange: () => void }

export function createScoring(
  { query, longQuery, transaction }: Link,
  { find, onChange }: Parts,
): ScoringStore {
  return {
    async work(limit, { rules, now, score, onFailure }) {
      const failed: { id: number; error: unknown }[] = []
      const count = await transaction(async (query) => {
        await lockShared(query, RULES)
        const settings = createSettings(query)
        const inForce = (await settings.get('adopting')) ?? (await settings.get('rules')) ?? rules
        if (inForce !== rules) return undefined
        const rows = await query<StaleRow>(
          `select ${COLUMNS} from passports where stale = 1 order by passports.id limit $1 for update skip locked`,
          [limit],
        )
        const done: Done[] = []
        for (const { row, all, scorable } of await loadScorables(query, rows)) {
          try {
            const { scores, human, credentials } = score(scorable)
            done.push({
              row,
              scores: toScoreRow(scores),
              human: Number(human),
              before: all,
              after: credentials,
            })
          } catch (error) {
            failed.push({ id: row.id, error })
          }
        }
        await saveScores(query, done, rules, now)
        // One that cannot be scored must not keep the others waiting.
        if (failed.length > 0) {
          await query('update passports set stale = 2 where id = any($1::bigint[])', [
            failed.map(({ id }) => id),
          ])
        }
        if (done.some(({ row, scores }) => scores.score !== row.score)) await bump(query, 'ranking')
        return rows.length
      })
      for (const { id, error } of failed) onFailure(id, error)
      if (count) onChange()
      return count
    },

    async find(ref) {
      const id = await find(ref)
      if (id === undefined) return undefined
      const rows = await query<StaleRow>(`select ${COLUMNS} from passports where passports.id = $1`, [id])
      const [loaded] = await loadScorables(query, rows)
      return loaded?.scorable
    },

    async countStale() {
      const [row] = await longQuery<{ count: number }>(
        'select count(*)::float8 as count from passports where stale = 1',
      )
      return row?.count ?? 0
    },

    async markAll() {
      const markStep = (after: number) =>
        transaction(async (query) => {
          await lockForWriting(query)
          const end = await endOfStep(query, after)
          await query(`update passports set stale = 1 where id > $1 and id <= $2 and stale <> 1`, [
            after,
            end ?? after,
          ])
          return end
        })
      for (let after: number | undefined = -1; after !== undefined; after = await markStep(after));
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
  const end = await endOfStep(query, after)
  if (end !== undefined) {
    // Scores that records brought along stand until a rule set follows another.
    await query(
      `update passports set stale = 1
       where id > $1 and id <= $2 and stale <> 1 and rules <> $3 and (rules <> '' or $4::boolean)`,
      [after, end, rules, inForce !== undefined],
    )
    await settings.set('adopting', rules)
    await settings.set('adopted_to', String(end))
    return false
  }
  await settings.set('rules', rules)
  await settings.remove('adopting')
  await settings.remove('adopted_to')
  return true
}

/** Where a step of many passports ends; `undefined` where there are none left. */
async function endOfStep(query: Query, after: number): Promise<number | undefined> {
  const [row] = await query<{ id: number | null }>(
    `select max(id)::float8 as id from (select id from passports where id > $1 order by id limit $2) as step`,
    [after, ADOPT_STEP],
  )
  return row?.id ?? undefined
}

async function loadScorables(query: Query, rows: readonly StaleRow[]) {
  const ids = rows.map(({ id }) => id)
  const [credentials, points] = await Promise.all([mapCredentials(query, ids), mapDataPoints(query, ids)])
  return rows.map((row) => {
    const all = credentials.get(row.id) ?? []
    return { row, all, scorable: toScorable(row, all, points.get(row.id) ?? []) }
  })
}

function toScorable(row: StaleRow, all: readonly Credential[], dataPoints: DataPoint[]): Scorable {
  return {
    id: row.id,
    given: all.filter(({ givenScore }) => givenScore !== undefined),
    dataPoints,
    givenHuman: row.given_human === 1,
    scores: toScores(row),
    rules: row.rules,
  }
}

async function saveScores(query: Query, done: readonly Done[], rules: string, now: number): Promise<void> {
  if (done.length === 0) return
  const columns = Object.keys(SCORED_COLUMNS).slice(1)
  await query(
    `update passports set ${columns.map((name) => `${name} = scored.${name}`).join(', ')},
       stale = 0, calculated_at = $2, rules = $3
     from json_to_recordset($1::text::json) as scored(${Object.entries(SCORED_COLUMNS)
       .map(([name, type]) => `${name} ${type}`)
       .join(', ')})
     where passports.id = scored.id`,
    [JSON.stringify(done.map(({ row, scores, human }) => ({ id: row.id, ...scores, human }))), now, rules],
  )
  const differences = done.map(({ row, before, after }) => ({
    id: row.id,
    ...diffCredentials(before, after),
  }))
  const removed = differences.flatMap(({ id, removed }) => removed.map((credential) => ({ id, credential })))
  if (removed.length > 0) {
    await query(
      `delete from credentials using json_to_recordset($1::text::json) as gone(id bigint, credential text)
       where credentials.passport_id = gone.id and credentials.id = gone.credential`,
      [JSON.stringify(removed)],
    )
  }
  await insertRows(
    query,
    'credentials',
    CREDENTIAL_COLUMNS,
    differences.flatMap(({ id, written }) =>
      written.map((credential) => ({ passport_id: id, ...toCredentialRow(credential) })),
    ),
  )
}
