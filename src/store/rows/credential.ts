import type { Credential } from '../../domain/credential.ts'
import { toShownCredentials } from './v1.ts'

/** In place of the JSON of credentials that V1 shows completely: each has the score that its record gave. */
const AS_SHOWN = ''

/** `data` is what is stored beside the V1 response `body`. */
export type CredentialsRow = { data: string; body: string | null }

/** The stored form of all credentials of a passport. `isShown`: the V1 response shows these, not older ones. */
export function toCredentialData(credentials: readonly Credential[], isShown: boolean): string {
  const isComplete =
    isShown && credentials.every(({ score, givenScore, superseded }) => givenScore === score && !superseded)
  return isComplete ? AS_SHOWN : JSON.stringify(credentials.toSorted(byId))
}

/** Whether the V1 response shows all credentials as they are. */
export const isAsShown = (row: CredentialsRow | null): boolean => row?.data === AS_SHOWN

/** All credentials of a passport, those that are not shown included. */
export function fromCredentialData(row: CredentialsRow | null | undefined): Credential[] {
  if (!row) return []
  if (row.data !== AS_SHOWN) return JSON.parse(row.data)
  const shown = row.body === null ? [] : toShownCredentials(row.body)
  return shown.map((credential) => ({ ...credential, givenScore: credential.score })).sort(byId)
}

const byId = (one: Credential, other: Credential) => (one.id < other.id ? -1 : 1)

/** New credentials; one that scoring left as it was keeps the time of its last calculation. */
export function keepUnchanged(
  before: readonly Credential[],
  after: readonly Credential[],
): readonly Credential[] {
  const old = new Map(before.map((credential) => [credential.id, credential]))
  return after.map((credential) => {
    const same = old.get(credential.id)
    return same && isSame(same, credential) ? same : credential
  })
}

const COMPARED = ['score', 'maxScore', 'value', 'name', 'category', 'earnedAt', 'superseded'] as const

const isSame = (before: Credential, after: Credential) =>
  COMPARED.every((field) => before[field] === after[field])
