import { parseInstant } from '../basics/text/instant.ts'
import type { Credential } from './credential.ts'
import { CREDENTIAL_ACCOUNT } from './passport.ts'

/** A raw fact about a passport; the rule set turns it into a scored credential. */
export type DataPoint = {
  type: string
  /** The person's account that the data point is about; empty if the person has only one. */
  account: string
  value: RawValue
  /** Display text that replaces the raw value; may be empty. */
  display: string
  /** Epoch milliseconds; absent if unknown. */
  earnedAt?: number
  /** Who wrote the data point; absent for the operator. */
  issuer?: string
  /** Since when the passport has this type and account; absent if unknown. */
  addedAt?: number
  /** The merged passport whose id or wallet was written; absent if it is the passport that has the data point. */
  writtenFor?: number | undefined
}

/** `isTaken`: the account counts for another passport. Known only for types with the rule option `unique`. */
export type ScorablePoint = DataPoint & { isTaken?: boolean }

/** Identifies a data point of a passport. `issuer` is the one who names it. */
export type PointName = Pick<DataPoint, 'type' | 'account' | 'issuer'>

/** A flag counts as 1 or 0; a date is epoch milliseconds. */
export type RawValue = { kind: 'number' | 'flag' | 'date'; amount: number }

export function describeRawValue({ kind, amount }: RawValue): string {
  if (kind === 'flag') return amount === 1 ? 'Verified' : 'Not verified'
  return kind === 'date' ? new Date(amount).toISOString().slice(0, 10) : String(amount)
}

export type RawKind = 'number' | 'date'

/** Display texts that mean true. */
const YES = /^(verified|yes|true|active|member|claimed|completed|connected|owned)$/i

const NUMBERS = /-?\d[\d,]*(?:\.\d+)?/g

const DATE = /\d{4}-\d\d-\d\d/

/** Parses the display text of a credential: "3 contracts" is 3, "Verified" is true. */
export function readRawValue({ value, earnedAt }: Credential, kind: RawKind): RawValue | undefined {
  if (kind === 'date') {
    const date = parseInstant(DATE.exec(value)?.[0] ?? '') ?? earnedAt
    return date === undefined ? undefined : { kind: 'date', amount: date }
  }
  const last = value.replace(DATE, '').match(NUMBERS)?.at(-1)
  if (last !== undefined) return { kind: 'number', amount: Number(last.replaceAll(',', '')) }
  return YES.test(value.trim()) ? { kind: 'flag', amount: 1 } : undefined
}

/** The data point for a credential without a score. `undefined` if its text cannot be parsed. */
export function toCredentialPoint(credential: Credential, kind: RawKind): DataPoint | undefined {
  const { type, id, value: display, earnedAt } = credential
  const value = readRawValue(credential, kind)
  const earned = earnedAt !== undefined && { earnedAt }
  return value && { type, account: CREDENTIAL_ACCOUNT + id, value, display, ...earned }
}

/** Replaces the last number of a display text: "3 contracts" becomes "1 contract", and "Level 3" becomes "Level 1". */
export function replaceNumber(value: string, number: string): string {
  const plural = value.replace(/^1 [a-z ]+[^s]$/, '$&s')
  const undated = plural.replace(DATE, (date) => ' '.repeat(date.length))
  const last = undated.match(NUMBERS)?.at(-1) ?? ''
  const at = undated.lastIndexOf(last)
  const text = `${plural.slice(0, at)}${number}${plural.slice(at + last.length)}`
  return text.replace(/^(1 [a-z ]+)s$/, '$1')
}
