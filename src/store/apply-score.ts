import type { Credential } from '../domain/credential.ts'
import type { DataPoint } from '../domain/data-point.ts'
import { keepUnchanged } from './rows/credential.ts'
import { type StoredRow, toScoreRow, toScores } from './rows/passport.ts'
import type { Scorable, ScoreResult } from './store.ts'

export function toScorable(row: StoredRow, all: readonly Credential[], dataPoints: DataPoint[]): Scorable {
  return {
    id: row.id,
    recordCredentials: all.filter(({ givenScore }) => givenScore !== undefined),
    dataPoints,
    givenHuman: row.given_human === 1,
    scores: toScores(row),
    rules: row.rules,
  }
}

/** A passport and its credentials after scoring. */
export function applyScore(
  row: StoredRow,
  before: readonly Credential[],
  { scores, human, credentials }: ScoreResult,
  { rules, now }: { rules: string; now: number },
): { row: StoredRow; credentials: readonly Credential[] } {
  return {
    row: { ...row, ...toScoreRow(scores), human: Number(human), stale: 0, calculated_at: now, rules },
    credentials: keepUnchanged(before, credentials),
  }
}
