import type { ApiKey } from '../domain/api-key.ts'
import type { Credential } from '../domain/credential.ts'
import type { DataPoint } from '../domain/data-point.ts'
import type { Page, PageRequest } from '../domain/page.ts'
import type { FullPassport, Passport, PassportRef, Scores } from '../domain/passport.ts'
import type { IncomingRecord, PassportRecord } from '../domain/record.ts'
import type { RetirementPlan } from '../domain/retirement.ts'
import type { Standing } from '../domain/standing.ts'
import type { UsageCount } from '../domain/usage.ts'

/** An embedded engine answers at once; one across the network answers later. */
export type Awaitable<T> = T | Promise<T>

export type Store = {
  passports: {
    /** A merged passport is found as the one that survived it. */
    find(ref: PassportRef): Awaitable<FullPassport | undefined>
    /** Highest score first, equal scores by id. */
    list(request: ListRequest): Awaitable<Page<Passport>>
    /** The same as before while every page of the list is, but for keywords; nothing where the engine cannot tell. */
    edition(): object | undefined
    /** Where a score stands among all that are listed. */
    standing(score: number): Awaitable<Standing>
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
    /** Highest score first, then by name, then by id. */
    list(passportId: number): Awaitable<Credential[]>
  }
  documents: DocumentStore
  v1: V1Store
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
  parts: readonly Part[]
  copying: {
    /** What the last copy into this store noted of itself. */
    find(): Awaitable<string | undefined>
    note(text: string): Awaitable<void>
  }
  /** Tells what works. Throws `unavailable` if the store cannot be read. */
  ping(): Awaitable<{ writes: boolean; replica?: boolean }>
  close(): Awaitable<void>
}

/** `keyword` is folded already. Where whoever asks is gone, a search may end with `ClientGone`. */
export type ListRequest = PageRequest & { keyword: string | undefined; isGone?: IsGone | undefined }

export type IsGone = () => boolean

/** A complete V1 response body, with its quoted ETag. */
export type V1Body = { body: string; etag: string }

/** `merged`: another passport was merged into this one. */
export type V1Passport = V1Body & { id: number; merged: boolean }

export type V1Store = {
  /** A merged passport is found as its survivor. */
  findPassport(ref: PassportRef): Awaitable<V1Passport | undefined>
  /** `undefined` where there is no such passport. */
  findCredentials(ref: PassportRef): Awaitable<V1Body | undefined>
  /** The JSON of list items, in the order of the list; missing passports are left out. */
  listItems(ids: readonly number[]): Awaitable<string[]>
}

/** Answers as they go out, made ahead of being asked for. An engine may keep none: then none is ever found. */
export type DocumentStore = {
  /** Nothing where it is not made yet, or no longer true: what it would say is to be read elsewhere. */
  findPassport(ref: PassportRef): Document | undefined
  findCredentials(ref: PassportRef): Document | undefined
  /** A page of the list of passports, each as its document where it has one. Not in their order: it is in what they say. */
  list(request: ListRequest): Awaitable<Page<Passport | PassportDocument>>
  /**
   * A step of making those that are missing, for up to `limit` passports, in one transaction. Gives back how many it
   * went through: 0 when nothing is left to do, or another program makes those of another form; `undefined` where
   * somebody else writes, who is not to be held up: then it is to be tried later.
   */
  make(limit: number, press: Press): Awaitable<number | undefined>
}

/** A body as it goes out. Its bytes are read last, with those of others in a row. */
export type Document = {
  length: number
  /** `hashOf` its bytes. */
  hash: number
  /** Puts the bytes there; tells whether they are what they should be. */
  read(into: Buffer, at: number): boolean
}

export type PassportDocument = { id: number; document: Document }

/** What makes documents. */
export type Press = {
  /** Changes with the form of the documents: those of another form are made anew. */
  form: string
  passport(passport: FullPassport): string
  credentials(credentials: readonly Credential[]): string
}

/** From one day to another, both included. */
export type Days = { since: string; until: string }

export type SaveOptions = {
  now: number
  /** Lets records of removed passports in again. */
  restore: boolean
  /** Stops at the first refusal: what follows it is not saved, and has no result. */
  strict?: boolean
  /** Set apart where the same bytes are read in another way than usual. */
  reading?: string
  /** Tells what would become of the records, and writes nothing. */
  dryRun?: boolean
}

/** What became of a record; `barred` is one of a passport that was removed. */
export type SaveResult =
  | { outcome: 'added' | 'changed' | 'unchanged' | 'barred' }
  | { outcome: 'refused'; field: string; reason: string }

export type ScoringStore = {
  /**
   * Claims up to `limit` stale passports, has each scored, and saves it, in one transaction: no other scorer does
   * the same ones, and a crash leaves them stale. Gives back how many it did, or `undefined` where another rule
   * set is in force.
   */
  work(limit: number, order: Work): Awaitable<number | undefined>
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
  given: Credential[]
  dataPoints: DataPoint[]
  /** Whether the record itself says that this is a human. */
  givenHuman: boolean
  scores: Scores
  /** The rule set that these scores were worked out with; empty where the record gave them. */
  rules: string
}

/** How the claimed passports are to be scored. */
export type Work = {
  /** The rule set that does it. */
  rules: string
  now: number
  score: (passport: Scorable) => Scored
  /** One that cannot be scored is set aside until it changes; meanwhile it stays stale. */
  onFailure: (id: number, error: unknown) => void
}

export type Scored = { scores: Scores; human: boolean; credentials: readonly Credential[] }

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
export type Mirrored = { passportEtag: string; credentialsEtag: string; run: number }

/** A part of what is kept. Its items are ordered by their keys, in the same way on every engine. */
export type Part = {
  name: string
  /** The items after one key, up to and with another. */
  list(range: PartRange & { limit?: number }): Awaitable<PartItem[]>
  /** Puts the items in place of all that are in the range. */
  replace(range: PartRange, items: readonly PartItem[]): Awaitable<void>
}

export type PartKey = readonly (string | number)[]
export type PartRange = { after?: PartKey | undefined; until?: PartKey | undefined }

/** The value is JSON, the same on every engine. */
export type PartItem = { key: PartKey; value: unknown }
