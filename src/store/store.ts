import type { ApiKey } from '../domain/api-key.ts'
import type { Credential } from '../domain/credential.ts'
import type { DataPoint } from '../domain/data-point.ts'
import type { Actor } from '../domain/history/event.ts'
import type { GroupField, ScoreField } from '../domain/lists/list-request.ts'
import type { FullPassport, Passport, PassportKey, PassportRef, Scores } from '../domain/passport.ts'
import type { IncomingRecord, PassportRecord } from '../domain/record/record.ts'
import type { RetirementPlan } from '../domain/retirement.ts'
import type { UsageCount } from '../domain/usage.ts'
import type { PassportV3 } from '../domain/v3/passport.ts'
import type { Awaitable } from './awaitable.ts'
import type { CopyTable } from './copy-table.ts'
import type { EventStore } from './event-store.ts'
import type { SearchStore } from './search-store.ts'

export type { Awaitable }

/** Disposing a store closes it. */
export type Store = AsyncDisposable & {
  passports: {
    /** The id of a merged passport finds its survivor. */
    find(ref: PassportRef): Awaitable<FullPassport | undefined>
    /** Highest score first, equal scores by id. Merged passports are left out. */
    listByIds(ids: readonly number[]): Awaitable<Passport[]>
    /** Includes merged passports. */
    count(): Awaitable<number>
    /** The passports that are merged into this one, not through another. */
    listMerged(id: number): Awaitable<number[]>
    /** Throws `not_found`, or `invalid_request` if one of the two is merged already. */
    merge(from: number, into: number, now?: number, actor?: Actor): Awaitable<void>
    /** Throws `not_found`, or `invalid_request` if it is not merged. */
    unmerge(id: number, now?: number, actor?: Actor): Awaitable<void>
    /** Deletes the passport and those merged into it. Later records of the id are ignored, also if it is not stored. */
    remove(id: number, now: number, actor?: Actor): Awaitable<void>
  }
  records: {
    /** Saves all records in one transaction. The results are in the order of the records. */
    save: SaveRecords
    /** Gives `work` a function that saves as `save` does, in one transaction that is rolled back. Other writers wait. */
    rollBack<T>(work: (save: SaveRecords) => Promise<T>): Promise<T>
    /** Saves the records if the store has no passports; returns whether it did. */
    saveIfEmpty(records: readonly IncomingRecord[], options: SaveOptions): Awaitable<boolean>
    /** The next passports by id, including merged ones. */
    list(afterId: number, limit: number): Awaitable<PassportRecord[]>
    listRemovals(): Awaitable<number[]>
  }
  credentials: {
    /** A passport with the credentials in its V1 response, of one moment: highest score first, then by name, then by id. */
    find(ref: PassportRef): Awaitable<{ passport: FullPassport; credentials: Credential[] } | undefined>
  }
  /** V1 responses. The id of a merged passport finds the response of its survivor. */
  v1: {
    findPassport(ref: PassportRef): Awaitable<V1Passport | undefined>
    findCredentials(ref: PassportRef): Awaitable<V1Body | undefined>
    /** List items by score, then id. Passports that are no longer listed are left out. */
    listItems(ids: readonly number[]): Awaitable<string[]>
  }
  /** V2 responses; credentials are those of V1. */
  v2: Pick<Store['v1'], 'findPassport' | 'listItems'>
  v3: {
    /** The results of the first keys, at least one, in order. */
    find(keys: readonly PassportKey[], options: FindOptions): Awaitable<KeyResult[]>
  }
  listing: ListingStore
  facets: {
    /** In any order. Passports that are not listed are left out. */
    list(ids: readonly number[]): Awaitable<Facets[]>
  }
  search: SearchStore
  scoring: ScoringStore
  rules: RulesStore
  events: EventStore
  mirror: MirrorStore
  keys: {
    create(key: ApiKey): Awaitable<void>
    find(id: string): Awaitable<ApiKey | undefined>
    /** Newest first. */
    list(): Awaitable<ApiKey[]>
    /** Returns whether the key exists and is not revoked. Absent fields stay unchanged; `expiresAt: null` means never. */
    update(
      id: string,
      change: Partial<Pick<ApiKey, 'name' | 'tier' | 'owner'>> & { expiresAt?: number | null },
    ): Awaitable<boolean>
    /** Sets a successor and an earlier expiry. Returns whether a key without a successor exists. */
    replace(id: string, successor: string, endsAt: number): Awaitable<boolean>
    /** Returns whether the key exists. A revoked key keeps its first date. */
    revoke(id: string, now: number): Awaitable<boolean>
    /** Deletes the keys that were revoked or expired before a time; returns their number. */
    purge(before: number): Awaitable<number>
  }
  usage: {
    /** Adds to the stored counts, and updates the last use of keys. */
    add(counts: readonly UsageCount[], lastUsed: ReadonlyMap<string, number>): Awaitable<void>
    /** By day, key, endpoint and status. */
    list(days: Days): Awaitable<UsageCount[]>
    /** Deletes the counts of the oldest day before `day`; returns whether there was one. */
    removeOldest(day: string): Awaitable<boolean>
    /** Responses per key, without 304 and 429, which are free. */
    sumByKey(days: Days): Awaitable<[key: string, count: number][]>
  }
  /** Changes by people and keys that are no events. `list` returns the latest entries, newest first. */
  audit: {
    add(entry: AuditEntry): Awaitable<void>
    list(limit: number): Awaitable<AuditEntry[]>
  }
  retirement: {
    find(): Awaitable<RetirementPlan | undefined>
    save(plan: RetirementPlan): Awaitable<void>
  }
  /** A random id of the database; backups of the file have the same one. */
  identity: {
    find(): Awaitable<string | undefined>
    /** Does nothing if the database has an id. */
    create(id: string): Awaitable<void>
  }
  /** All stored data, for a copy between databases. */
  copyTables: readonly CopyTable[]
  copying: {
    /** The note of the last copy into this store. */
    find(): Awaitable<string | undefined>
    note(text: string): Awaitable<void>
  }
  /** The schema version of the database if a newer passportd migrated it after this store was opened. */
  newerSchema(): Awaitable<number | undefined>
  /** Checks reads and writes. Throws `unavailable` if the store cannot be read. */
  ping(): Awaitable<{ writes: boolean; replicas?: ReplicaStatus[] }>
  close(): Promise<void>
}

/** A stored JSON response. */
export type V1Body = { body: string; etag: string }

/** `merged` is not 0 if another passport was merged into this one. */
export type V1Passport = V1Body & { id: number; merged: number }

/** The result for a key: a passport, or the ids of several ones that have the handle, or nothing. */
export type KeyResult = { passport: PassportV3 } | { candidates: number[] } | undefined

/** `promoted`: it is no longer a replica. `lag` is the time behind the primary in milliseconds. */
export type ReplicaStatus = {
  name: string
  state: 'ok' | 'lagging' | 'promoted' | 'unavailable'
  lag: number
}

/** The input of the ranking snapshot (src/catalog). */
export type ListingStore = {
  /** Calls `add` for each listed passport, highest score first, equal scores by id. Returns a cursor. */
  readAll(add: (passport: ListedPassport) => void): Awaitable<string>
  /** The changes since a cursor; `undefined` if they are too many or unknown, so that `readAll` is needed. */
  readChanges(since: string): Awaitable<ListingChanges | undefined>
  /** As `readChanges`, but fast, for few changes. V1 reads that follow never have an older state. */
  readRecent(since: string): Awaitable<ListingChanges | undefined>
}

/** `name` is folded. */
export type ListedPassport = { id: number; score: number; name: string }

/**
 * The values that v3 lists are filtered, grouped and sorted by. All text is folded, without duplicates; empty text is left out.
 * `human` is "true" or "false". `type` has the types of the shown credentials with a score above 0.
 */
export type Facets = { id: number; name: string } & Record<ScoreField, number> &
  Record<GroupField, readonly string[]>

/** The version is another after each change of the passport's V1 responses. */
export type ChangedPassport = ListedPassport & { version: number }

/** `listed` takes precedence over `unlisted`. */
export type ListingChanges = { cursor: string; listed: ChangedPassport[]; unlisted: number[] }

/** What to read in addition to the passport. */
export type FindOptions = { credentials: boolean }

export type AuditEntry = { time: number; actor: Actor; action: string; detail: string }

/** Both days are included. */
export type Days = { since: string; until: string }

export type SaveOptions = {
  now: number
  /** Who saves the records; `cli` if absent. */
  actor?: Actor
  /** Accepts records of removed passports again. */
  restore: boolean
  /** Stops at the first refusal: later records are not saved and have no result. */
  strict?: boolean
  /** Part of the fingerprint: the same bytes parsed with other options are a different record. */
  fingerprintPrefix?: string
}

export type SaveRecords = (
  records: readonly IncomingRecord[],
  options: SaveOptions,
) => Awaitable<SaveResult[]>

/** `removed`: the passport was removed, so the record was ignored. `removedIds`: the passports that a removal removed. */
export type SaveResult =
  | { outcome: 'added' | 'changed' | 'unchanged' | 'removed'; removedIds?: readonly number[] }
  | { outcome: 'refused'; field: string; reason: string }

export type ScoringStore = {
  /**
   * Claims up to `limit` stale passports, scores and saves them in one transaction: no other scorer claims the same ones,
   * and a crash leaves them stale. Returns their number, or `undefined` if another rule set is in force.
   */
  work(limit: number, job: ScoringJob): Awaitable<number | undefined>
  /** A passport with the input of its score, of one moment. */
  find(ref: PassportRef): Awaitable<(Scorable & { passport: FullPassport }) | undefined>
  listByIds(ids: readonly number[]): Awaitable<Scorable[]>
  /** The next passports by id, without merged ones. */
  list(afterId: number, limit: number): Awaitable<Scorable[]>
  countStale(): Awaitable<number>
  markAll(): Awaitable<void>
  /**
   * Puts a rule set in force, one batch per call; returns `true` at the end. Passports whose score it changes become stale; all
   * others stay as they are. The first rule set keeps the scores of records. Nothing happens while another applied rule set is active.
   */
  adopt(job: AdoptionJob): Awaitable<boolean>
}

export type RulesStore = {
  /** Any rule set that was ever in force. */
  find(stamp: string): Awaitable<AppliedRules | undefined>
  /** The known ones of these rule sets. */
  listByStamps(stamps: readonly string[]): Awaitable<AppliedRules[]>
  /** `undefined` if none was ever applied: the built-in rule set is active. */
  active(): Awaitable<AppliedRules | undefined>
  /** All rule sets, the last applied one first. */
  list(): Awaitable<AppliedRules[]>
  /** Stores a rule set without activating it, unless it is stored. */
  keep(rules: AppliedRules): Awaitable<void>
  /** Stores and activates a rule set. */
  apply(rules: AppliedRules): Awaitable<void>
  /** Activates the rule set that was applied before the active one, or the built-in one; `undefined`: there is none. */
  rollBack(builtIn: AppliedRules, now?: number): Awaitable<AppliedRules | undefined>
}

/** A stored rule set. */
export type AppliedRules = {
  stamp: string
  /** The rule set as JSON. */
  body: string
  /** 0 for a built-in rule set. */
  appliedAt: number
  /** The command "rules apply", the setting RULES, or a release of the program. */
  source: 'apply' | 'RULES' | 'built-in'
}

/** The input of scoring. */
export type Scorable = {
  id: number
  /** The credentials of the record, with their scores. */
  recordCredentials: Credential[]
  dataPoints: DataPoint[]
  /** The human checkmark of the record. */
  givenHuman: boolean
  scores: Scores
  /** The rule set that calculated `scores`; empty if they come from the record. */
  rules: string
}

export type ScoringJob = {
  /** The stamp of the rule set. */
  rules: string
  now: number
  /** Also called with an earlier time, to find out whether only time has passed. */
  score: (passport: Scorable, now: number) => ScoreResult
  /** Called after scoring threw. The passport stays stale and is not tried again until it changes. */
  onFailure: (id: number, error: unknown) => void
}

export type AdoptionJob = Pick<ScoringJob, 'rules' | 'now' | 'score'>

type ScoreResult = { scores: Scores; human: boolean; credentials: readonly Credential[] }

export type MirrorStore = {
  /** Continues the unfinished run of this source, or begins a new one. */
  begin(source: string): Awaitable<number>
  end(source: string): Awaitable<void>
  find(source: string, id: number): Awaitable<Mirrored | undefined>
  note(source: string, id: number, seen: Mirrored): Awaitable<void>
  /** Passports that only earlier runs have seen, by id. Pruned ones are left out here and in `count`. */
  listUnseen(source: string, run: number, afterId: number, limit: number): Awaitable<number[]>
  count(source: string): Awaitable<number>
  listSources(): Awaitable<string[]>
}

/** The ETags of both responses about a passport, and the run that read them. The run of a pruned passport is 0. */
export type Mirrored = { passportEtag: string; credentialsEtag: string; run: number }
