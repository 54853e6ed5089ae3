import type { Credential } from '../../domain/credential.ts'
import { foldName } from '../../domain/name.ts'
import {
  presentCredential,
  presentListedPassport,
  presentPassport,
  readCredential,
} from '../../domain/v1/present.ts'
import type { WireCredential } from '../../domain/v1/schemas.ts'
import { etagOf } from '../hash.ts'
import { type StoredRow, toFullPassport } from './passport.ts'

/** A response body as it is sent, and its ETag. */
export type V1Body = { body: string; etag: string }

export type V1Passport = V1Body & {
  id: number
  /** Another passport was merged into this one. */
  merged: boolean
}

/** A stored response as it is selected. A passport that was marked as stale has one without an ETag. */
export type FoundPassport = V1Body & { id: number; merged: number }

/** What the list, the keyword search and the single-passport response say of a listed passport. */
export type V1PassportRow = {
  passport_id: number
  score: number
  /** Folded, for the keyword search. */
  name: string
  /** The JSON of the passport in list pages. */
  item: string
  body: string
  etag: string
  merged: number
}

export type V1CredentialsRow = { passport_id: number; body: string; etag: string }

export function toV1PassportRow(row: StoredRow, merged: boolean): V1PassportRow {
  const passport = toFullPassport(row, merged)
  const body = JSON.stringify({ passport: presentPassport(passport) })
  return {
    passport_id: row.id,
    score: row.score,
    name: foldName(row.display_name),
    item: JSON.stringify(presentListedPassport(passport)),
    body,
    etag: etagOf(body),
    merged: Number(merged),
  }
}

export function toV1CredentialsRow(passportId: number, credentials: readonly Credential[]): V1CredentialsRow {
  const shown = credentials.filter(({ superseded }) => !superseded).sort(byScore)
  const body = JSON.stringify({ passport_credentials: shown.map(presentCredential) })
  return { passport_id: passportId, body, etag: etagOf(body) }
}

/** The credentials that a body shows. */
export function toShownCredentials(body: string): Credential[] {
  const { passport_credentials } = JSON.parse(body) as { passport_credentials: WireCredential[] }
  return passport_credentials.map(readCredential)
}

const byScore = (one: Credential, other: Credential) =>
  other.score - one.score || compare(one.name, other.name) || compare(one.id, other.id)

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
