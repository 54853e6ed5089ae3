import type { Credential } from '../../domain/credential.ts'
import type { DataPoint } from '../../domain/data-point.ts'
import type { StoredRow } from '../rows/passport.ts'
import type { V1CredentialsRow, V1PassportRow } from '../rows/v1.ts'

/** The tables inside a write transaction. Both engines implement it; records and merges are written once on top of it. */
export type WriteModel = {
  passports: {
    find(id: number): StoredRow | undefined
    /** The passport it is merged into; `null` if it is not merged, `undefined` if it does not exist. */
    findSurvivor(id: number): number | null | undefined
    listMerged(into: number): number[]
    put(row: StoredRow): void
    /** Also removes its wallets, credentials, data points, handles and V1 responses. */
    remove(id: number): void
  }
  wallets: {
    findOwner(address: string): number | undefined
    setOwner(address: string, passportId: number): void
    removeAll(passportId: number): void
  }
  credentials: {
    list(passportId: number): Credential[]
    /** The credentials in the V1 response of a listed passport, before this transaction. */
    listShown(passportId: number): Credential[]
    /** `isShown`: the V1 response will show these credentials. */
    put(passportId: number, credentials: readonly Credential[], isShown: boolean): void
  }
  dataPoints: {
    list(passportId: number): DataPoint[]
    /** Replaces the point of the same type and account. */
    put(passportId: number, point: DataPoint): void
    replace(passportId: number, points: readonly DataPoint[]): void
  }
  /** The handles of a passport (src/domain/handle.ts), sorted. */
  handles: {
    replace(passportId: number, handles: readonly string[]): void
    /** For a passport without handles. */
    add(passportId: number, handles: readonly string[]): void
  }
  removals: {
    has(passportId: number): boolean
    put(passportId: number, now: number): void
    remove(passportId: number): void
  }
  /** V1 responses of listed passports. */
  v1: {
    putPassport(row: V1PassportRow): void
    putCredentials(row: V1CredentialsRow): void
    /** Makes a new version of a listed passport: another field than those of V1 has changed. */
    touch(passportId: number): void
    remove(passportId: number): void
  }
  /** The rule set that is being adopted, or else the one in force. */
  rules(): string | undefined
}
