import { etagOf } from '../../basics/hash.ts'
import { byScore, type Credential } from '../../passport/credential.ts'
import { presentCredential, readCredential } from '../../passport/present.ts'
import type { WireCredential } from '../../passport/wire-schemas.ts'

/** The V1 response with the credentials of a listed passport. */
export type V1CredentialsRow = { passport_id: number; body: string; etag: string }

export function toV1CredentialsRow(passportId: number, credentials: readonly Credential[]): V1CredentialsRow {
  const shown = credentials.filter(({ superseded }) => !superseded).sort(byScore)
  const body = JSON.stringify({ passport_credentials: shown.map(presentCredential) })
  return { passport_id: passportId, body, etag: etagOf(body) }
}

/** The credentials in a V1 response, as V1 shows them. */
export const parseShown = (body: string) =>
  (JSON.parse(body) as { passport_credentials: WireCredential[] }).passport_credentials

/** Stored instead of JSON if the V1 response contains the same credentials. They are read from the response then. */
const AS_SHOWN = ''

/** `data` is the stored form, `body` the V1 response. */
export type CredentialsRow = { data: string; body: string | null }

/** `isShown`: the V1 response shows these credentials. Otherwise it still shows older ones. */
export function toCredentialData(credentials: readonly Credential[], isShown: boolean): string {
  const isComplete =
    isShown &&
    credentials.every(
      ({ score, givenScore, superseded, lacksScore }) => givenScore === score && !superseded && !lacksScore,
    )
  return isComplete ? AS_SHOWN : JSON.stringify(credentials.toSorted(byId))
}

export const isAsShown = (row: CredentialsRow | undefined): boolean => row?.data === AS_SHOWN

/** All credentials of a passport, including superseded ones. */
export function fromCredentialData(row: CredentialsRow | undefined): Credential[] {
  if (!row) return []
  if (row.data !== AS_SHOWN) return JSON.parse(row.data)
  const credentials = shownCredentialsOf(row)
  for (const credential of credentials) credential.givenScore = credential.score
  return credentials.sort(byId)
}

/** The credentials in the V1 response. */
export const shownCredentialsOf = (row: CredentialsRow | undefined): Credential[] =>
  row?.body ? parseShown(row.body).map(readCredential) : []

const byId = (one: Credential, other: Credential) => (one.id < other.id ? -1 : 1)

/** Returns the new credentials. If one is unchanged, its old object is returned, so that its `calculatedAt` stays. */
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

/** Compares what V1 shows: not the issuer. */
export const looksSame = (before: Credential, after: Credential) =>
  COMPARED.every((field) => before[field] === after[field])

const isSame = (before: Credential, after: Credential) =>
  before === after || (before.issuer === after.issuer && looksSame(before, after))
