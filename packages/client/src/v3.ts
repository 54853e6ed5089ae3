import { copy, type V3Change } from './copy.ts'
import { type RequestOptions, type Transport, toQuery, toSegment } from './transport.ts'
import type {
  V3Diff,
  V3Event,
  V3EventType,
  V3LookupBody,
  V3LookupItem,
  V3Page,
  V3RuleSet,
  V3Scores,
  V3SearchPage,
  V3Shown,
} from './types.ts'
import type {
  CopyOptions,
  EventOptions,
  Instant,
  NoOptions,
  PassportOptions,
  V3ListOptions,
  V3PageOptions,
  V3SearchOptions,
} from './v3-options.ts'
import { createRequests, largestPage, type Requests } from './v3-requests.ts'
import { createWriteCalls } from './v3-writes.ts'

const KEYS_PER_REQUEST = 1000

/** The passport of a copy always has its id. */
type Copied<Options> = V3Shown<Options> & { passport_id: number }

/** The type is named, because `tsc` would write out all its parts. */
export type V3 = ReturnType<typeof createPassportCalls> &
  ReturnType<typeof createEventCalls> &
  ReturnType<typeof createWriteCalls>

export function createV3(transport: Transport): V3 {
  const requests = createRequests(transport)
  return {
    ...createPassportCalls(transport, requests),
    ...createEventCalls(requests),
    ...createWriteCalls(transport),
  }
}

function createPassportCalls({ send }: Transport, { getPage, getItems }: Requests) {
  return {
    /** Finds a passport by id, wallet or handle (`github:zoe`). Throws `not_found`, or `ambiguous` if several match. */
    async passport<const O extends PassportOptions = NoOptions>(
      key: number | string,
      options?: O,
    ): Promise<V3Shown<O>> {
      const { asOf, signal, ...fields }: PassportOptions = options ?? {}
      const field = fields.select?.[0]?.split('.', 1)[0] ?? 'passport_id'
      return send(`/v3/passports/${toSegment(key)}${toQuery({ as_of: asOf, ...fields })}`, field, { signal })
    },
    /** Returns one item per key, in the order of the keys. Sends one request per 1,000 keys; needs an API key. */
    async lookup<const O extends PassportOptions = NoOptions>(
      keys: readonly (number | string)[],
      options?: O,
    ): Promise<V3LookupBody<V3Shown<O>>> {
      const items: V3LookupItem<V3Shown<O>>[] = []
      let found = 0
      for (let at = 0; at < keys.length; at += KEYS_PER_REQUEST) {
        const some = keys.slice(at, at + KEYS_PER_REQUEST).map(String)
        const part = await getItems<V3Shown<O>>(some, options ?? {})
        items.push(...part.items)
        found += part.found
      }
      return { items, found }
    },
    /** Iterates over all matching passports. Fetches pages as they are needed. */
    async *list<const O extends V3ListOptions = NoOptions>(
      options?: O,
    ): AsyncGenerator<V3Shown<O>, void, undefined> {
      const given: V3ListOptions = options ?? {}
      let cursor: string | undefined
      do {
        const page = await getPage<V3Page<V3Shown<O>>>({ limit: largestPage(given), ...given, cursor })
        yield* page.items
        cursor = page.next ?? undefined
      } while (cursor !== undefined)
    },
    /** Returns one page of passports, the number of all matches, and the groups of `groupBy`. */
    async page<const O extends V3PageOptions = NoOptions>(options?: O): Promise<V3Page<V3Shown<O>>> {
      return getPage(options ?? {})
    },
    /** Reads a text as the search of the web pages does, and returns a page of the passports that it means. */
    async search<const O extends V3SearchOptions = NoOptions>(
      q: string,
      options?: O,
    ): Promise<V3SearchPage<V3Shown<O>>> {
      return getPage({ q, ...options }, 'search')
    },
    /** The distribution of the scores of all listed passports. */
    async scores(options: RequestOptions = {}) {
      return send<V3Scores>('/v3/scores', 'counts', options)
    },
    /** The net change of a score between two times, and its causes. `to` defaults to the present. */
    async diff(key: number | string, from: Instant, to?: Instant, options: RequestOptions = {}) {
      return send<V3Diff>(`/v3/passports/${toSegment(key)}/diff${toQuery({ from, to })}`, 'causes', options)
    },
    /** The rule set behind a score: `stamp` is the field `rules` of a passport. */
    async rules(stamp: string, options: RequestOptions = {}) {
      return send<V3RuleSet>(`/v3/rules/${toSegment(stamp)}`, 'stamp', options)
    },
  }
}

function createEventCalls(requests: Requests) {
  return {
    /** The cursor of the end of the event log now: events after it are newer. Needs an API key. */
    async cursor(options: RequestOptions = {}): Promise<string> {
      return requests.getCursor(options)
    },
    /** Changes of passports and of the rule set, oldest first; needs an API key. May throw a `CursorExpiredError`. */
    async *events<Types extends V3EventType = V3EventType>(
      options: EventOptions<Types> = {},
    ): AsyncGenerator<V3Event<Types>, void, undefined> {
      for await (const { items } of requests.readEvents(options)) yield* items
    },
    /** All passports, then their changes: the steps of a copy that stays up to date. Needs an API key. */
    async *copy<const O extends CopyOptions = NoOptions>(
      options?: O,
    ): AsyncGenerator<V3Change<Copied<O>>, void, undefined> {
      yield* copy<Copied<O>>(requests, options ?? {})
    },
  }
}
