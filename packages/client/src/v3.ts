import { follow } from './events.ts'
import { type RequestOptions, type Transport, toQuery, toSegment, toText } from './transport.ts'
import type {
  V3Diff,
  V3Event,
  V3EventPage,
  V3EventType,
  V3Include,
  V3LookupBody,
  V3LookupItem,
  V3Page,
  V3Passport,
  V3SelectedPassport,
} from './types.ts'

/** A Date, or an ISO 8601 text: a day, or a time with its offset. */
export type Instant = string | Date

export type FieldOptions = RequestOptions & {
  /** Further parts of the passport. */
  include?: readonly V3Include[] | undefined
  /** Only these fields, as dotted paths such as `passport_profile.display_name`. */
  select?: readonly string[] | undefined
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
  /** The field to sort by, with a minus sign for descending order (`-score`). */
  sort?: string | undefined
  /** Passports per request, up to 250; up to 50 with credentials, standing or explanation. */
  limit?: number | undefined
}

export type V3PageOptions = V3ListOptions & {
  /** `next` of the previous page. */
  cursor?: string | undefined
  /** Counts all matching passports by the values of this field. */
  groupBy?: string | undefined
}

export type EventOptions = RequestOptions & {
  /** The id of an event, or `latest`. The default is to start with the oldest event. */
  after?: string | undefined
  types?: readonly V3EventType[] | undefined
  /** Only events of this passport. */
  passport?: number | string | undefined
  /** Waits for new events and reconnects, until `signal` is aborted. By default, the last event ends the iteration. */
  follow?: boolean | undefined
}

/** The requested fields: those in `select`, or else all fields and the included parts. */
export type Shown<Options> = Options extends { select: readonly string[] }
  ? V3SelectedPassport
  : Options extends { include: readonly (infer Name extends V3Include)[] }
    ? V3Passport & Required<Pick<V3Passport, Name>>
    : V3Passport

const KEYS_PER_REQUEST = 1000

/** A page with included parts has at most 50 passports. */
const largestPage = ({ include = [], select = [] }: V3ListOptions = {}): number =>
  include.length > 0 || select.some((path) => /^(?:credentials|standing|explanation)(?:\.|$)/.test(path))
    ? 50
    : 250

export function createV3(transport: Transport) {
  const { send } = transport

  function getPage<P>({ groupBy, signal, ...rest }: V3PageOptions): Promise<V3Page<P>> {
    return send(`/v3/passports${toQuery({ ...rest, group_by: groupBy })}`, 'items', { signal })
  }

  return {
    /** Finds a passport by id, wallet or handle (`github:zoe`). Throws `not_found`, or `ambiguous` if several match. */
    passport<const O extends PassportOptions>(key: number | string, options?: O): Promise<Shown<O>> {
      const { asOf, signal, ...fields }: PassportOptions = options ?? {}
      const field = fields.select?.[0]?.split('.', 1)[0] ?? 'passport_id'
      return send(`/v3/passports/${toSegment(key)}${toQuery({ ...fields, as_of: asOf })}`, field, { signal })
    },
    /** Returns one item per key, in the order of the keys. Sends one request per 1,000 keys; needs an API key. */
    async lookup<const O extends PassportOptions>(
      keys: readonly (number | string)[],
      options?: O,
    ): Promise<V3LookupBody<Shown<O>>> {
      const { asOf, signal, ...fields }: PassportOptions = options ?? {}
      const items: V3LookupItem<Shown<O>>[] = []
      let found = 0
      for (let at = 0; at < keys.length; at += KEYS_PER_REQUEST) {
        const some = keys.slice(at, at + KEYS_PER_REQUEST).map(String)
        const body = { keys: some, ...fields, ...(asOf !== undefined && { as_of: toText(asOf) }) }
        const part = await send<V3LookupBody<Shown<O>>>('/v3/lookup', 'items', { body, signal })
        items.push(...part.items)
        found += part.found
      }
      return { items, found }
    },
    /** Iterates over all matching passports. Fetches pages as they are needed. */
    async *list<const O extends V3ListOptions>(options?: O): AsyncGenerator<Shown<O>, void, undefined> {
      let cursor: string | undefined
      do {
        const page = await getPage<Shown<O>>({ limit: largestPage(options), ...options, cursor })
        yield* page.items
        cursor = page.next ?? undefined
      } while (cursor !== undefined)
    },
    /** Returns one page of passports, the number of all matches, and the groups of `groupBy`. */
    page<const O extends V3PageOptions>(options?: O): Promise<V3Page<Shown<O>>> {
      return getPage(options ?? {})
    },
    /** The net change of a score between two times, and its causes. `to` defaults to the present. */
    diff(key: number | string, from: Instant, to?: Instant, { signal }: RequestOptions = {}) {
      const path = `/v3/passports/${toSegment(key)}/diff${toQuery({ from, to })}`
      return send<V3Diff>(path, 'causes', { signal })
    },
    /** Changes of passports and of the rule set, oldest first; needs an API key. May throw a `CursorExpiredError`. */
    async *events(options: EventOptions = {}): AsyncGenerator<V3Event, void, undefined> {
      const { types, passport, signal } = options
      const pathAfter = (after: string | undefined, limit?: number) =>
        `/v3/events${toQuery({ after, types, passport, limit })}`
      let after = options.after
      for (let next: string | undefined; ; after = next) {
        const page: V3EventPage = await send(pathAfter(after, 1000), 'items', { signal })
        yield* page.items
        next = page.next
        // An empty page is not always the last one: the filter can remove all events of a page.
        if (next === after) break
      }
      if (options.follow)
        yield* follow<V3Event>(transport, { field: 'specversion', pathAfter, after, signal })
    },
  }
}
