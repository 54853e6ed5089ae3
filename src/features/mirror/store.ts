import type { Awaitable } from '../../core/basics/awaitable.ts'

export type MirrorStore = {
  /** Continues the unfinished run of this source, or begins a new one. */
  begin(source: string): Awaitable<number>
  end(source: string): Awaitable<void>
  find(source: string, id: number): Awaitable<Mirrored | undefined>
  note(source: string, id: number, seen: Mirrored): Awaitable<void>
  /** Passports that only earlier runs have seen, sorted by id. `listUnseen` and `count` leave out pruned passports. */
  listUnseen(source: string, run: number, afterId: number, limit: number): Awaitable<number[]>
  count(source: string): Awaitable<number>
  listSources(): Awaitable<string[]>
}

/** The ETags of the passport and credentials responses, and the run that read them. A pruned passport has run 0. */
export type Mirrored = { passportEtag: string; credentialsEtag: string; run: number }
