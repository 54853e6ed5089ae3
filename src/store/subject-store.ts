import type { Awaitable } from './awaitable.ts'

/** What is stored about a person. Also finds hidden passports. */
export type SubjectStore = {
  /** The passport of a wallet. A merged passport leads to its survivor. */
  find(wallet: string): Awaitable<{ id: number; hidden: boolean } | undefined>
  /** The passport with this id, even if it is merged. */
  findById(id: number): Awaitable<{ id: number; hidden: boolean; name: string } | undefined>
  /** Everything that is stored about a passport and those merged into it, as JSON. */
  export(id: number): Awaitable<object | undefined>
}

/** An id or a wallet whose records are skipped. Of a wallet, only the SHA-256 is stored, in hexadecimal. */
export type Removal = { id: number } | { digest: string }

export type RemovalStore = {
  list(): Awaitable<Removal[]>
  /** Removes the passports that are stored. Returns how many there were. Later records are skipped. */
  apply(removals: readonly Removal[], now: number): Awaitable<number>
  /** Accepts later records again. Returns whether they were skipped. */
  undo(removal: Removal): Awaitable<boolean>
}
