export type MirrorStore = {
  /** Continues the unfinished run of this source, or begins a new one. */
  begin(source: string): Promise<number>
  end(source: string): Promise<void>
  find(source: string, id: number): Promise<Mirrored | undefined>
  note(source: string, id: number, seen: Mirrored): Promise<void>
  /** Passports that only earlier runs have seen, sorted by id. `listUnseen` and `count` leave out pruned passports. */
  listUnseen(source: string, run: number, afterId: number, limit: number): Promise<number[]>
  count(source: string): Promise<number>
  listSources(): Promise<string[]>
}

/** The ETags of the passport and credentials responses, and the run that read them. A pruned passport has run 0. */
export type Mirrored = { passportEtag: string; credentialsEtag: string; run: number }
