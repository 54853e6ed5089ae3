import { checkOptions, FIELDS, largestPage } from './check.ts'
import { copy, type V3Change } from './copy.ts'
import { follow } from './events.ts'
import { createPassportRequests, type FieldOptions, type NoOptions } from './passport-requests.ts'
import { type RequestOptions, type Transport, toQuery } from './transport.ts'
import type { V3Event, V3EventPage, V3EventType, V3Shown } from './types.ts'

export type EventOptions<Types extends V3EventType = V3EventType> = RequestOptions & {
  /** The id of an event, or `latest`. The default is to start with the oldest event. */
  after?: string | undefined
  /** Only events of these types. */
  types?: readonly Types[] | undefined
  /** Only events of this passport. */
  passport?: number | string | undefined
  /** Waits for new events and reconnects, until `signal` is aborted. By default, the last event ends the iteration. */
  follow?: boolean | undefined
}

export type CopyOptions = FieldOptions & {
  /** The cursor of the last checkpoint that was stored. Without it, the copy begins with all passports. */
  after?: string | undefined
  /** Waits for new events and reconnects, until `signal` is aborted. By default, the last event ends the iteration. */
  follow?: boolean | undefined
}

/** The passport of a copy always has its id. */
type Copied<Options> = V3Shown<Options> & { passport_id: number }

/** The calls of v3 that read the event log. */
export function createChanges(transport: Transport) {
  const { send } = transport
  const { getPage, getItems } = createPassportRequests(transport)

  async function getCursor({ signal }: RequestOptions): Promise<string> {
    return (await send<V3EventPage>('/v3/events?after=latest', 'next', { signal })).next
  }

  /** The pages until the end of the event log, then the events of a stream. `isCurrent`: the end was reached. */
  async function* readEvents<T extends V3EventType>({ types, passport, signal, ...rest }: EventOptions<T>) {
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
      yield* follow<V3Event<T>>(transport, { field: 'specversion', pathAfter, after, signal })
  }

  return {
    /** The cursor of the end of the event log now: events after it are newer. Needs an API key. */
    async cursor(options: RequestOptions = {}): Promise<string> {
      checkOptions(['signal'], options)
      return getCursor(options)
    },
    /** Changes of passports and of the rule set, oldest first; needs an API key. May throw a `CursorExpiredError`. */
    async *events<Types extends V3EventType = V3EventType>(
      options: EventOptions<Types> = {},
    ): AsyncGenerator<V3Event<Types>, void, undefined> {
      checkOptions(['after', 'types', 'passport', 'follow', 'signal'], options)
      for await (const { items } of readEvents(options)) yield* items
    },
    /** All passports, then their changes: the steps of a copy that stays up to date. Needs an API key. */
    async *copy<const O extends CopyOptions = NoOptions>(
      options?: O,
    ): AsyncGenerator<V3Change<Copied<O>>, void, undefined> {
      checkOptions([...FIELDS, 'after', 'follow'], options)
      const { after, follow, select, ...rest }: CopyOptions = options ?? {}
      const fields = { ...rest, ...(select && { select: [...select, 'passport_id' as const] }) }
      const limit = largestPage(fields)
      const reads = {
        cursor: () => getCursor(rest),
        page: (cursor: string | undefined) => getPage<Copied<O>>({ ...fields, limit, cursor }),
        lookup: (keys: readonly string[]) => getItems<Copied<O>>(keys, fields),
        keysPerLookup: limit,
        events: (after: string) => readEvents({ after, follow, signal: rest.signal }),
      }
      yield* copy(reads, after)
    },
  }
}
