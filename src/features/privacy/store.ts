import type { Awaitable } from '../../core/basics/awaitable.ts'

type Subject = { id: number; hidden: boolean; name: string }

/** What is stored about a person. Also finds hidden passports. */
export type SubjectStore = {
  /** The passport of a wallet. A merged passport leads to its survivor. */
  find(wallet: string): Awaitable<Subject | undefined>
  /** The passport with this id, even if it is merged. */
  findById(id: number): Awaitable<Subject | undefined>
  /** Everything that is stored about a passport and those merged into it, as JSON. */
  export(id: number): Awaitable<object | undefined>
}

/** The id of a passport, or the SHA-256 of a wallet in hexadecimal. Records with it are skipped. */
export type Removal = string

/** The list of removals. It can be kept outside of the database, and applied after a restore. */
export type RemovalStore = {
  list(): Awaitable<Removal[]>
  /** Removes the passports that are stored. Later records are skipped. */
  apply(removals: readonly Removal[], now: number): Awaitable<void>
}
