import type { Credential } from '../domain/credential.ts'
import type { DataPoint } from '../domain/data-point.ts'
import type { StoredRow } from './rows/passport.ts'

/**
 * The tables as one writing transaction sees them. What becomes of a record is decided over them, once for all
 * engines; how they are read and written is the engine's own.
 */
export type Tables = {
  passports: {
    find(id: number): StoredRow | undefined
    /** The passport it is merged into; `null` where it is not merged, `undefined` where there is none. */
    findSurvivor(id: number): number | null | undefined
    listMerged(into: number): number[]
    insert(row: StoredRow): void
    update(row: StoredRow): void
    markStale(id: number): void
    /** With all that belongs to it. */
    remove(id: number): void
  }
  wallets: {
    findOwner(address: string): number | undefined
    /** For an address that nobody has. */
    insert(address: string, passportId: number): void
    setOwner(address: string, passportId: number): void
    removeAll(passportId: number): void
  }
  /** Folded names of listed passports. */
  names: {
    /** For a passport whose name is not in it. */
    insert(passportId: number, foldedName: string): void
    remove(passportId: number): void
  }
  credentials: {
    has(passportId: number): boolean
    /** For a passport that has none. */
    insert(passportId: number, credentials: readonly Credential[]): void
    replace(passportId: number, credentials: readonly Credential[]): void
  }
  dataPoints: {
    has(passportId: number): boolean
    find(passportId: number, type: string, account: string): DataPoint | undefined
    put(passportId: number, point: DataPoint): void
    replace(passportId: number, points: readonly DataPoint[]): void
    /** Those that were read from credentials; the others stay. */
    replaceOfCredentials(passportId: number, points: readonly DataPoint[]): void
  }
  removals: {
    has(passportId: number): boolean
    insert(passportId: number, now: number): void
    remove(passportId: number): void
  }
  /** The rule set in force, or the one that is about to be. */
  rules(): string | undefined
}
