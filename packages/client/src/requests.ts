import { follow } from './events.ts'
import type { NAMES } from './names.ts'
import { type RequestOptions, type Transport, toQuery, toText } from './transport.ts'
import type { V3Event, V3EventPage, V3EventType, V3Field, V3Include, V3LookupBody, V3Page } from './types.ts'

/** A Date, or an ISO 8601 text: a day, or a time with its offset. */
export type Instant = string | Date

/** A field to count passports by. */
export type V3GroupBy = (typeof NAMES)['groupBy'][number]

/** A field to sort by, with a minus sign for descending order (`-score`). */
export type V3Sort = `${'' | '-'}${(typeof NAMES)['sort'][number]}`

export type FieldOptions = RequestOptions & {
  /** Further parts of the passport. */
  include?: readonly V3Include[] | undefined
  /** Only these fields, as dotted paths such as `passport_profile.display_name`. */
  select?: readonly V3Field[] | undefined
}

export type PassportOptions = FieldOptions & {
  /** Returns scores, credentials, the human checkmark and the rule stamp as they were at this time. */
  asOf?: Instant | undefined
}

export type V3ListOptions = FieldOptions & {
  /** Only passports whose display name contains this text. */
  q?: string | undefined
  /** Terms such as `human:true,score:>50`. */
  filter?: string | undefined
  /** The default is `-score`. */
  sort?: V3Sort | undefined
  /** Passports per request, up to 250; up to 50 with credentials, standing or explanation. */
  limit?: number | undefined
}

export type V3PageOptions = V3ListOptions & {
  /** `next` of the previous page. */
  cursor?: string | undefined
  /** Counts all matching passports by the values of this field. */
  groupBy?: V3GroupBy | undefined
}

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

export type Requests = ReturnType<typeof createRequests>

/** The requests that several calls of v3 send. */
export function createRequests(transport: Transport) {
  const { send } = transport
  return {
    getPage<P>({ groupBy, signal, ...rest }: V3PageOptions): Promise<V3Page<P>> {
      return send(`/v3/passports${toQuery({ ...rest, group_by: groupBy })}`, 'items', { signal })
    },
    getItems<P>(keys: readonly string[], { asOf, signal, ...fields }: PassportOptions) {
      const body = { keys, ...fields, ...(asOf !== undefined && { as_of: toText(asOf) }) }
      return send<V3LookupBody<P>>('/v3/lookup', 'items', { body, signal })
    },
    async getCursor({ signal }: RequestOptions): Promise<string> {
      return (await send<V3EventPage>('/v3/events?after=latest', 'next', { signal })).next
    },
    /** The pages until the end of the event log, then the events of a stream. `isCurrent`: the end was reached. */
    async *readEvents<T extends V3EventType>({ types, passport, signal, ...rest }: EventOptions<T>) {
      const pathAfter = (after: string | undefined, limit?: number) =>
        `/v3/events${toQuery({ after, types, passport, limit })}`
      let after = rest.after
      for (let isCurrent = false; !isCurrent; ) {
        const page: V3EventPage<T> = await send(pathAfter(after, 1000), 'items', { signal })
        // An empty page is not always the last one: the filter can remove all events of a page.
        isCurrent = page.next === after
        after = page.next
        yield { ...page, isCurrent }
      }
      if (rest.follow && after !== undefined)
        yield* follow<V3Event<T>>(transport, { pathAfter, after, signal })
    },
  }
}
