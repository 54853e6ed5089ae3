import type { Awaitable } from './awaitable.ts'

/** What is stored about a person. Also finds hidden passports. */
export type SubjectStore = {
  /** The passport of a wallet. A merged passport leads to its survivor. */
  find(wallet: string): Awaitable<{ id: number; hidden: boolean } | undefined>
  /** Everything that is stored about a passport and those merged into it, as JSON. */
  export(id: number): Awaitable<object | undefined>
}
