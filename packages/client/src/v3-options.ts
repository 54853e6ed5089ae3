import type { RequestOptions } from './transport.ts'
import type { V3EventType, V3Field, V3GroupBy, V3Include, V3Sort } from './types.ts'

/** A Date, or an ISO 8601 text: a day, or a time with its offset. */
export type Instant = string | Date

export type FieldOptions = RequestOptions & {
  /** Further parts of the passport. */
  include?: readonly V3Include[] | undefined
  /** Only these fields, as dotted paths such as `passport_profile.display_name`. */
  select?: readonly V3Field[] | undefined
}

/** Reads your own write. */
type AfterOptions = {
  /** `cursor` of a write: the result includes the write. */
  after?: string | undefined
}

export type WriteOptions = RequestOptions & {
  /** Checks the records, and stores nothing. */
  dryRun?: boolean | undefined
}

export type PassportOptions = FieldOptions &
  AfterOptions & {
    /** Returns scores, credentials, the human checkmark and the rule stamp as they were at this time. */
    asOf?: Instant | undefined
  }

export type V3ListOptions = FieldOptions &
  AfterOptions & {
    /** Only passports whose display name contains this text. */
    q?: string | undefined
    /** Terms such as `human:true,score:>50`. */
    filter?: string | undefined
    /** The default is `-score`. */
    sort?: V3Sort | undefined
    /** With `sort`: the passports whose score rose (`-change`) or fell (`change`) since a time, and new ones (`-added`). */
    since?: Instant | undefined
    /** Passports per request, up to 250; up to 50 with credentials, standing, explanation or `since`. */
    limit?: number | undefined
  }

export type V3PageOptions = V3ListOptions & {
  /** `next` of the previous page. */
  cursor?: string | undefined
  /** Counts all matching passports by the values of these fields. */
  groupBy?: V3GroupBy | readonly V3GroupBy[] | undefined
  /** Counts only the values that begin with this text. */
  groupPrefix?: string | undefined
}

export type V3SearchOptions = Omit<V3PageOptions, 'q' | 'since' | 'after'>

/** Options that were not given. */
export type NoOptions = Record<never, never>

type FollowOptions = {
  /** Waits for new events and reconnects, until `signal` is aborted. By default, the last event ends the iteration. */
  follow?: boolean | undefined
}

export type EventOptions<Types extends V3EventType = V3EventType> = RequestOptions &
  FollowOptions & {
    /** The id of an event, or `latest`. The default is to start with the oldest event. */
    after?: string | undefined
    /** Only events of these types. */
    types?: readonly Types[] | undefined
    /** Only events of this passport. */
    passport?: number | string | undefined
  }

export type CopyOptions = FieldOptions &
  FollowOptions & {
    /** The cursor of the last checkpoint that was stored. Without it, the copy begins with all passports. */
    after?: string | undefined
  }
