import type { CredentialV3 } from '../../history/passport-state.ts'
import { byScore, type Credential } from '../../passport/credential.ts'
import {
  presentCredential,
  presentRecordCredential,
  type RecordCredential,
  readCredential,
  readRecordCredential,
} from '../../passport/present.ts'
import type { WireCredential } from '../../passport/wire-schemas.ts'

/** The credentials of a passport, as JSON in the record format. Only those of visible passports are shown. */
export type CredentialsRow = {
  shown: string
  /**
   * What the last record gave: null if it equals `shown`, a list if a rule scores other credentials, and
   * `{"unscored": list}` if nothing was scored since the record: `shown` has the credentials before it.
   */
  given: string | null
  issuers: string
}

type Given = readonly RecordCredential[] | { unscored: readonly RecordCredential[] }

export function toCredentialsRow(credentials: readonly Credential[]): CredentialsRow {
  const isSame = credentials.every(
    ({ score, givenScore, superseded, lacksScore }) => givenScore === score && !superseded && !lacksScore,
  )
  return {
    shown: toShown(credentials),
    given: isSame ? null : toGiven(credentials.filter(isGiven)),
    issuers: isSame ? '' : toIssuers(credentials),
  }
}

/** The row until the credentials of a new record are scored. */
export const toUnscoredRow = (shown: string, credentials: readonly Credential[]): CredentialsRow => ({
  shown,
  given: `{"unscored":${toGiven(credentials)}}`,
  issuers: '',
})

export const toShown = (credentials: readonly Credential[]): string =>
  JSON.stringify(withoutSuperseded(credentials).sort(byScore).map(presentCredential))

/** A superseded credential is stored, but not shown. */
export const withoutSuperseded = (credentials: readonly Credential[]) =>
  credentials.filter(({ superseded }) => !superseded)

/** The other ones are only in `shown`. */
const isGiven = ({ givenScore, superseded }: Credential) => givenScore !== undefined || superseded

const toGiven = (credentials: readonly Credential[]) =>
  JSON.stringify(credentials.toSorted(byId).map(presentRecordCredential))

function toIssuers(credentials: readonly Credential[]): string {
  const issued = credentials.filter((credential) => credential.issuer !== undefined && !isGiven(credential))
  const issuers = Object.fromEntries(issued.map(({ id, issuer }) => [id, issuer]))
  return issued.length === 0 ? '' : JSON.stringify(issuers)
}

/** Whether responses show the credentials of an earlier record. */
export const isUnscored = ({ given }: CredentialsRow): boolean => given?.startsWith('{') ?? false

/** All credentials of a passport, including superseded ones, sorted by id. */
export function fromCredentialsRow(row: CredentialsRow | undefined): Credential[] {
  if (!row) return []
  if (row.given === null) {
    const credentials = shownCredentialsOf(row)
    for (const credential of credentials) credential.givenScore = credential.score
    return credentials.sort(byId)
  }
  const recorded: Given = JSON.parse(row.given)
  if ('unscored' in recorded) return recorded.unscored.map(readRecordCredential)
  const ids = new Set(recorded.map(({ id }) => id))
  const issuers = readIssuers(row)
  const calculated = shownCredentialsOf(row).filter(({ id }) => !ids.has(id))
  for (const credential of calculated) {
    const issuer = issuers.get(credential.id)
    if (issuer !== undefined) credential.issuer = issuer
  }
  return [...recorded.map(readRecordCredential), ...calculated].sort(byId)
}

const readIssuers = ({ issuers }: CredentialsRow) =>
  new Map<string, string>(issuers === '' ? [] : Object.entries(JSON.parse(issuers)))

type Origin = Pick<CredentialV3, 'from' | 'issuer'>

/** Returns what `shown` does not say about a shown credential. */
export function readOrigins(row: CredentialsRow): (id: string) => Origin {
  if (row.given === null) return () => ({ from: 'record' })
  const recorded: Given = JSON.parse(row.given)
  const origins = new Map<string, Origin>()
  for (const { id, derived, issuer } of 'unscored' in recorded ? recorded.unscored : recorded)
    origins.set(id, { from: derived ? 'rule' : 'record', ...(issuer && { issuer }) })
  for (const [id, issuer] of readIssuers(row)) origins.set(id, { from: 'rule', issuer })
  return (id) => origins.get(id) ?? { from: 'unscored' in recorded ? undefined : 'rule' }
}

export const shownCredentialsOf = (row: CredentialsRow | undefined): Credential[] =>
  row ? parseShown(row).map(readCredential) : []

export const parseShown = ({ shown }: CredentialsRow): WireCredential[] => JSON.parse(shown)

const byId = (one: Credential, other: Credential) => (one.id < other.id ? -1 : 1)

/** Returns the new credentials. If one is unchanged, its old object is returned, so that its `calculatedAt` stays. */
export function keepUnchanged(before: readonly Credential[], after: readonly Credential[]) {
  const old = new Map(before.map((credential) => [credential.id, credential]))
  return after.map((credential) => {
    const same = old.get(credential.id)
    return same && isSame(same, credential) ? same : credential
  })
}

const COMPARED = ['score', 'maxScore', 'value', 'name', 'category', 'earnedAt', 'superseded'] as const

/** Compares what events have: not the issuer. */
export const looksSame = (before: Credential, after: Credential) =>
  COMPARED.every((field) => before[field] === after[field])

const isSame = (before: Credential, after: Credential) =>
  before === after || (before.issuer === after.issuer && looksSame(before, after))
