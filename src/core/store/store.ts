import type { Awaitable } from '../basics/awaitable.ts'
import type { Actor } from '../history/event.ts'
import type { EventCursor } from '../history/event-cursor.ts'
import type { PassportV3 } from '../history/passport-state.ts'
import type { Credential } from '../passport/credential.ts'
import type { FullPassport, Passport, PassportKey, PassportRef } from '../passport/passport.ts'
import type { IncomingRecord, PassportRecord } from '../passport/record.ts'
import type { ApiKey } from './api-key.ts'
import type { UseData } from './data.ts'
import type { EventStore } from './event-store.ts'
import type { ScoringStore } from './scoring-store.ts'

export type { Awaitable }

/** Disposing a store closes it. */
export type Store = AsyncDisposable & {
  passports: {
    /** The id of a merged passport finds its survivor. */
    find(ref: PassportRef): Promise<FullPassport | undefined>
    /** Also finds the credentials that responses show, sorted by score (highest first), name and id. */
    findWithCredentials(ref: PassportRef): Promise<PassportWithCredentials | undefined>
    findByKeys: FindByKeys
    /** A text that changes whenever a response about the passport does. */
    findVersion(ref: PassportRef): Promise<string | undefined>
    /** In the order of `ids`, without merged and unknown passports. */
    listByIds(ids: readonly number[]): Promise<Passport[]>
    /** Includes merged passports. */
    count(): Promise<number>
    /** The passports that were merged into this one directly. */
    listMerged(id: number): Promise<number[]>
    /** Like `unmerge` and `remove`, returns the end of the event log. Throws `not_found`, or `invalid_request` if one of the two is merged already. */
    merge(from: number, into: number, now?: number, actor?: Actor): Promise<EventCursor>
    /** Throws `not_found`, or `invalid_request` if the passport is not merged. */
    unmerge(id: number, now?: number, actor?: Actor): Promise<EventCursor>
    /** Hides a passport and those merged into it from every response, or shows them again. Throws `not_found`. */
    hide(id: number, hidden: boolean, now: number, actor?: Actor): Promise<EventCursor>
    /** Deletes the passport, if there is one, and those merged into it. Later records with this id or its wallets are ignored. */
    remove(id: number, now: number, actor?: Actor): Promise<EventCursor>
  }
  records: {
    /** Saves all records in one transaction. The results are in the order of the records. */
    save: SaveRecords
    /** Saves all records in one transaction, or none if one is refused. With `dryRun`, it saves none. */
    saveWhole(
      records: readonly IncomingRecord[],
      options: Omit<SaveOptions, 'strict'> & { dryRun: boolean },
    ): Promise<{ results: SaveResult[]; end: EventCursor }>
    /** Calls `work` with a function like `save`, in a transaction that is rolled back. Other writers wait. */
    rollBack<T>(work: (save: SaveRecords) => Promise<T>): Promise<T>
    /** The next passports by id, including merged ones, without hidden ones. */
    list(afterId: number, limit: number): Promise<PassportRecord[]>
    listRemovals(): Promise<number[]>
  }
  listing: ListingStore
  scoring: ScoringStore
  events: EventStore
  keys: {
    create(key: Omit<ApiKey, 'lastUsedAt' | 'successor'>): Promise<void>
    find(id: string): Awaitable<ApiKey | undefined>
    /** Newest first. */
    list(): Promise<ApiKey[]>
    /** Absent fields stay unchanged; `expiresAt: null` means never. Returns false for an unknown or revoked key. */
    update(
      id: string,
      change: {
        [Name in 'name' | 'tier' | 'owner' | 'scopes' | 'origins' | 'types']?: ApiKey[Name] | undefined
      } & { expiresAt?: number | null | undefined },
    ): Promise<boolean>
    /** Sets a successor. The key expires at `endsAt` or earlier. Returns false if it is unknown or has a successor. */
    replace(id: string, successor: string, endsAt: number): Promise<boolean>
    /** Returns whether the key exists. The date of the first revocation stays. */
    revoke(id: string, now: number): Promise<boolean>
    /** Deletes the keys that were revoked or expired before a time. Returns how many it deleted. */
    purge(before: number): Promise<number>
  }
  /** The statements of features. */
  data: UseData
  database: {
    /** The schema number, if a newer passportd has migrated the database since this store was opened. */
    newerSchema(): Promise<number | undefined>
    /** Checks whether the store accepts writes. Throws `unavailable` if it cannot even be read. */
    ping(): Promise<{ writes: boolean }>
    close(): Promise<void>
  }
}

export type PassportWithCredentials = { passport: FullPassport; credentials: Credential[] }

/** The results of the first keys, in order. A call may return fewer results than keys, but at least one. */
export type FindByKeys = (keys: readonly PassportKey[], options: FindOptions) => Awaitable<KeyResult[]>

/** The result for a key: a passport, the ids of several passports with the same handle, or `undefined`. */
export type KeyResult = { passport: PassportV3 } | { candidates: number[] } | undefined

/** The input of the index (src/core/index). */
export type ListingStore = {
  /** A cursor of the end of the event log, and the number of listed passports. */
  readEnd(): Promise<{ cursor: string; passports: number }>
  /** The changes since a cursor; `undefined` if they are too many, or if the log does not have the cursor. */
  readChanges(since: string): Promise<ListingChanges | undefined>
  /** Sorted by id. Passports that are not listed are left out. */
  listRows(ids: readonly number[]): Promise<ListingRow[]>
  /** The listed passports after an id, sorted by id. */
  listAfter(id: number, limit: number): Promise<ListingRow[]>
}

/** `name` is folded for search (src/core/basics/text/fold-name.ts), `facets` has all other facets (src/core/lists/facets.ts). */
export type ListingRow = { id: number; score: number; name: string; facets: string }

/** The ids of passports with events after a cursor, up to another one. Those that are not listed can be merged, hidden or removed. */
export type ListingChanges = { cursor: string; ids: number[] }

/** What to read in addition to the passport. */
export type FindOptions = { credentials: boolean }

export type SaveOptions = {
  now: number
  /** Who saves the records; `cli` if absent. */
  actor?: Actor
  /** Accepts records of removed passports again. */
  restore: boolean
  /** Stops at the first refused record. Later records are not saved and have no result. */
  strict?: boolean
  /** The records are those of one request: all of them are saved, or none. */
  isWhole?: boolean
  /** An issuer saves the records. It may not change data points that another issuer wrote. */
  isIssuer?: boolean
  /** Added to fingerprints, because the same bytes parsed with other options are a different record. */
  fingerprintPrefix?: string
}

export type SaveRecords = (records: readonly IncomingRecord[], options: SaveOptions) => Promise<SaveResult[]>

/**
 * `removed`: ignored, because the passport was removed before. `removedIds`: the passports that a removal deleted. `survivorId`:
 * the passport that got a data point, because the passport in the record is merged into it.
 */
export type SaveResult =
  | {
      outcome: 'added' | 'changed' | 'unchanged' | 'removed'
      removedIds?: readonly number[]
      survivorId?: number
    }
  | { outcome: 'refused'; field: string; reason: string }

export type RulesStore = {
  /** Finds any rule set that was ever in force. */
  find(stamp: string): Promise<AppliedRules | undefined>
  /** The rule sets with these stamps. Unknown stamps are left out. */
  listByStamps(stamps: readonly string[]): Promise<AppliedRules[]>
  /** `undefined` if no rule set was ever applied. The built-in one is active then. */
  active(): Promise<AppliedRules | undefined>
  /** All rule sets, the last applied one first. */
  list(): Promise<AppliedRules[]>
  /** Stores a rule set without activating it. If it is stored already, it stays unchanged. */
  keep(rules: AppliedRules): Promise<void>
  /** Stores and activates a rule set. */
  apply(rules: AppliedRules): Promise<void>
  /** Activates the previously applied rule set, or else `builtIn`. Returns `undefined` if nothing changes. */
  rollBack(builtIn: AppliedRules, now?: number): Promise<AppliedRules | undefined>
}

/** A stored rule set. */
export type AppliedRules = {
  stamp: string
  /** The rule set as JSON. */
  body: string
  /** 0 for a built-in rule set. */
  appliedAt: number
  /** Where it comes from: the command "rules apply", the setting RULES, or a release of the program. */
  source: 'apply' | 'RULES' | 'built-in'
}
