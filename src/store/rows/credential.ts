import type { Credential } from '../../domain/credential.ts'

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

export const CREDENTIAL_COLUMNS =
  'id, type, name, category, score, max_score, value, earned_at, calculated_at, given_score, superseded'

export function toCredentialRow(credential: Credential): CredentialRow {
  return {
    id: credential.id,
    type: credential.type,
    name: credential.name,
    category: credential.category,
    score: credential.score,
    max_score: credential.maxScore,
    value: credential.value,
    earned_at: credential.earnedAt ?? null,
    calculated_at: credential.calculatedAt,
    given_score: credential.givenScore ?? null,
    superseded: Number(credential.superseded ?? false),
  }
}

export function toCredential(row: CredentialRow): Credential {
  return {
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
  }
}

/** What must be written so that `before` becomes `after`. */
export function diffCredentials(before: readonly Credential[], after: readonly Credential[]) {
  const old = new Map(before.map((credential) => [credential.id, credential]))
  const written: Credential[] = []
  for (const credential of after) {
    const same = old.get(credential.id)
    if (same && isSame(same, credential)) old.delete(credential.id)
    else written.push(credential)
  }
  return { removed: [...old.keys()], written }
}

function isSame(before: Credential, after: Credential): boolean {
  return (
    before.score === after.score &&
    before.maxScore === after.maxScore &&
    before.value === after.value &&
    before.name === after.name &&
    before.category === after.category &&
    before.earnedAt === after.earnedAt &&
    before.superseded === after.superseded
  )
}
