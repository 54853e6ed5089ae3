import type { Credential } from '../domain/credential.ts'
import type { DataPoint } from '../domain/data-point.ts'
import type { StoredRow } from './rows/passport.ts'
import type { V1CredentialsRow, V1PassportRow } from './rows/v1.ts'

/**
 * The tables as one writing transaction sees them. The rules for records and merges are written once on top of it;
 * each engine reads and writes the tables in its own way.
 */
export type WriteModel = {
  passports: {
    find(id: number): StoredRow | undefined
    /** The passport it is merged into; `null` if it is not merged, `undefined` if there is none. */
    findSurvivor(id: number): number | null | undefined
    listMerged(into: number): number[]
    put(row: StoredRow): void
    /** With its wallets, credentials, data points and V1 responses. */
    remove(id: number): void
  }
  wallets: {
    findOwner(address: string): number | undefined
    setOwner(address: string, passportId: number): void
    removeAll(passportId: number): void
  }
  credentials: {
    list(passportId: number): Credential[]
    /** `isShown`: the V1 response is about to show these. */
    put(passportId: number, credentials: readonly Credential[], isShown: boolean): void
  }
  dataPoints: {
    list(passportId: number): DataPoint[]
    /** Replaces the point of the same type and account. */
    put(passportId: number, point: DataPoint): void
    replace(passportId: number, points: readonly DataPoint[]): void
  }
  removals: {
    has(passportId: number): boolean
    put(passportId: number, now: number): void
    remove(passportId: number): void
  }
  /** Stored V1 responses, of listed passports only. */
  v1: {
    putPassport(row: V1PassportRow): void
    putCredentials(row: V1CredentialsRow): void
    /** For a passport that is no longer listed. */
    remove(passportId: number): void
  }
  /** The rule set in force, or the one that is about to be. */
  rules(): string | undefined
}
