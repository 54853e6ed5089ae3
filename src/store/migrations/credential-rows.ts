import type { Credential } from '../../domain/credential.ts'

/** The row of a credential before all credentials of a passport became one JSON list. */
export type CredentialRow = {
  id: string
  type: string
  name: string
  category: string
  score: number
  max_score: number
  value: string
  earned_at: number | null
  calculated_at: number
  given_score: number | null
  superseded: number
}

export const toCredential = (row: CredentialRow): Credential => ({
  id: row.id,
  type: row.type,
  name: row.name,
  category: row.category,
  score: row.score,
  maxScore: row.max_score,
  value: row.value,
  ...(row.earned_at !== null && { earnedAt: row.earned_at }),
  calculatedAt: row.calculated_at,
  ...(row.given_score !== null && { givenScore: row.given_score }),
  ...(row.superseded === 1 && { superseded: true }),
})
