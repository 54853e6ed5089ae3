import type { ApiKey } from '../domain/api-key.ts'
import type { Credential } from '../domain/credential.ts'
import type { DataPoint } from '../domain/data-point.ts'
import type { FullPassport, Passport, PassportRef, Scores } from '../domain/passport.ts'
import type { IncomingRecord, PassportRecord } from '../domain/record.ts'
import type { RetirementPlan } from '../domain/retirement.ts'
import type { UsageCount } from '../domain/usage.ts'
import type { createV1Reader as createPostgresV1 } from './postgres/v1.ts'
import type { createV1Reader as createSqliteV1 } from './sqlite/v1.ts'

/** An embedded engine answers at once; one across the network answers later. */
export type Awaitable<T> = T | Promise<T>

export type Store = {
  passports: {
    /** A merged passport is found as the one that survived it. */
    find(ref: PassportRef): Awaitable<FullPassport | undefined>
    /** Highest score first, equal scores by id. Passports that are not listed are left out. */
    listByIds(ids: readonly number[]): Awaitable<Passport[]>
    /** Merged ones included. */
    count(): Awaitable<number>
    /** Throws `not_found` unless both are there, `invalid_request` where they cannot be merged. */
    merge(from: number, into: number): Awaitable<void>
    /** Throws `not_found` unless it is there, `invalid_request` unless it was merged. */
    unmerge(id: number): Awaitable<void>
    /** Takes the passport, and those merged into it, out of every answer. Throws `not_found`. */
    remove(id: number, now: number): Awaitable<void>
  }
  records: {
    /** One transaction: readers see all of it or nothing. The results are in the order of the records. */
    save(records: readonly IncomingRecord[], options: SaveOptions): Awaitable<SaveResult[]>
    /** Saves the records only if the store has no passport yet; tells whether it did. */
    saveIfEmpty(records: readonly IncomingRecord[], options: SaveOptions): Awaitable<boolean>
    /** All that is known of the next passports by id, merged ones included. */
    list(afterId: number, limit: number): Awaitable<PassportRecord[]>
    listRemovals(): Awaitable<number[]>
  }
  credentials: {
    /** Those that are shown: highest score first, then by name, then by id. */
    list(passportId: number): Awaitable<Credential[]>
  }
  /** V1 responses. The engines' own types: go-to-definition leads from a route to its SQL. */
  v1: ReturnType<typeof createSqliteV1> | ReturnType<typeof createPostgresV1>
  listing: ListingStore
  scoring: ScoringStore
  mirror: MirrorStore
  keys: {
    create(key: ApiKey): Awaitable<void>
    find(id: string): Awaitable<ApiKey | undefined>
    /** Newest first. */
    list(): Awaitable<ApiKey[]>
    /** Tells whether there is such a key; what is not given stays as it is. */
    update(id: string, change: Partial<Pick<ApiKey, 'name' | 'tier' | 'owner'>>): Awaitable<boolean>
    /** Lets the key expire then, unless it does so earlier. Tells whether there is such a key without a successor. */
    replace(id: string, successor: string, endsAt: number): Awaitable<boolean>
    /** Tells whether there is such a key; one that is revoked already keeps its first date. */
    revoke(id: string, now: number): Awaitable<boolean>
  }
  usage: {
    /** Adds the counts to those that are there, and notes when keys were last used. */
    add(counts: readonly UsageCount[], lastUsed: ReadonlyMap<string, number>): Awaitable<void>
    /** By day, key, endpoint and status; both days included. */
    list(days: Days): Awaitable<UsageCount[]>
    /** How many answers each key got; those that cost nothing (304, 429) do not count. */
    sumByKey(days: Days): Awaitable<[key: string, count: number][]>
  }
  retirement: {
    find(): Awaitable<RetirementPlan | undefined>
    save(plan: RetirementPlan): Awaitable<void>
  }
  /** Everything that is kept, for copying it as it is. */
  copyTables: readonly CopyTable[]
  copying: {
    /** What the last copy into this store noted of itself. */
    find(): Awaitable<string | undefined>
    note(text: string): Awaitable<void>
  }
  /** Tells what works. Throws `unavailable` if the store cannot be read. */
  ping(): Awaitable<{ writes: boolean; replica?: boolean }>
  close(): Awaitable<void>
}

/** What the ranking snapshot is made of: src/catalog. */
export type ListingStore = {
  /** Calls `add` for each listed passport, highest score first, equal scores by id; gives back a cursor. */
  readAll(add: (passport: ListedPassport) => void): Awaitable<string>
  /** The changes since a cursor; `undefined` if they are too many or unknown: then all must be read. */
  readChanges(since: string): Awaitable<ListingChanges | undefined>
}

/** `name` is folded. */
export type ListedPassport = { id: number; score: number; name: string }

/** A passport in both lists is listed. */
export type ListingChanges = { cursor: string; listed: ListedPassport[]; unlisted: number[] }

/** From one day to another, both included. */
export type Days = { since: string; until: string }

export type SaveOptions = {
  now: number
  /** Lets records of removed passports in again. */
  restore: boolean
  /** Stops at the first refusal: what follows it is not saved, and has no result. */
  strict?: boolean
  /** Set apart where the same bytes are read in another way than usual. */
  fingerprintPrefix?: string
  /** Tells what would become of the records, and writes nothing. */
  dryRun?: boolean
}

/** What became of a record; `removed` is one of a passport that was removed. */
export type SaveResult =
  | { outcome: 'added' | 'changed' | 'unchanged' | 'removed' }
  | { outcome: 'refused'; field: string; reason: string }

export type ScoringStore = {
  /**
   * Claims up to `limit` stale passports, has each scored, and saves it, in one transaction: no other scorer does
   * the same ones, and a crash leaves them stale. Gives back how many it did, or `undefined` where another rule
   * set is in force.
   */
  work(limit: number, order: ScoringJob): Awaitable<number | undefined>
  find(ref: PassportRef): Awaitable<Scorable | undefined>
  countStale(): Awaitable<number>
  markAll(): Awaitable<void>
  /**
   * Puts this rule set in force. Passports that another one scored become stale, and where another was in force,
   * those whose scores their records gave as well; a step at each call. `true` when there is nothing left to do.
   */
  adopt(rules: string): Awaitable<boolean>
}

/** What a score depends on. */
export type Scorable = {
  id: number
  /** The credentials that carry a score of their own. */
  recordCredentials: Credential[]
  dataPoints: DataPoint[]
  /** Whether the record itself says that this is a human. */
  givenHuman: boolean
  scores: Scores
  /** The rule set that these scores were worked out with; empty where the record gave them. */
  rules: string
}

/** How the claimed passports are to be scored. */
export type ScoringJob = {
  /** The rule set that does it. */
  rules: string
  now: number
  score: (passport: Scorable) => ScoreResult
  /** One that cannot be scored is set aside until it changes; meanwhile it stays stale. */
  onFailure: (id: number, error: unknown) => void
}

export type ScoreResult = { scores: Scores; human: boolean; credentials: readonly Credential[] }

export type MirrorStore = {
  /** The run of this source that was not ended, or a new one. */
  begin(source: string): Awaitable<number>
  end(source: string): Awaitable<void>
  find(source: string, id: number): Awaitable<Mirrored | undefined>
  note(source: string, id: number, seen: Mirrored): Awaitable<void>
  /** Passports that earlier runs saw and this one has not, by id. */
  listUnseen(source: string, run: number, afterId: number, limit: number): Awaitable<number[]>
}

/** What a mirror last saw of a passport: the tags of both answers, and in which run. */
type Mirrored = { passportEtag: string; credentialsEtag: string; run: number }

/** A part of what is kept. Its items are ordered by their keys, in the same way on every engine. */
export type CopyTable = {
  name: string
  /** The items after one key, up to and with another. */
  list(range: CopyRange & { limit?: number }): Awaitable<CopyItem[]>
  /** Puts the items in place of all that are in the range. */
  replace(range: CopyRange, items: readonly CopyItem[]): Awaitable<void>
}

export type CopyKey = readonly (string | number)[]
export type CopyRange = { after?: CopyKey | undefined; until?: CopyKey | undefined }

/** The value is JSON, the same on every engine. */
export type CopyItem = { key: CopyKey; value: unknown }
