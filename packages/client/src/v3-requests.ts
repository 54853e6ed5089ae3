import { follow } from './events.ts'
import { type RequestOptions, type Transport, toQuery, toText } from './transport.ts'
import type { V3Event, V3EventPage, V3EventType, V3LookupBody } from './types.ts'
import type { EventOptions, PassportOptions, V3PageOptions } from './v3-options.ts'

export type Requests = ReturnType<typeof createRequests>

/** The requests that several calls of v3 send. */
export function createRequests(transport: Transport) {
  const { send } = transport
  return {
    getPage<Page>(
      { groupBy, groupPrefix, signal, ...rest }: V3PageOptions,
      path = 'passports',
    ): Promise<Page> {
      const query = toQuery({ group_by: groupBy, group_prefix: groupPrefix, ...rest })
      return send(`/v3/${path}${query}`, 'items', { signal })
    },
    getItems<P>(keys: readonly string[], { asOf, signal, ...fields }: PassportOptions) {
      const body = { keys, ...(asOf !== undefined && { as_of: toText(asOf) }), ...fields }
      return send<V3LookupBody<P>>('/v3/lookup', 'items', { body, signal })
    },
    async getCursor({ signal }: RequestOptions): Promise<string> {
      return (await send<V3EventPage>('/v3/events?after=latest', 'next', { signal })).next
    },
    /** The pages until the end of the event log, then the events of a stream. `isCurrent`: the end was reached. */
    async *readEvents<T extends V3EventType>({ signal, follow: follows, ...rest }: EventOptions<T>) {
      const pathAfter = (after: string | undefined, limit?: number) =>
        `/v3/events${toQuery({ ...rest, after, limit })}`
      let after = rest.after
      for (let isCurrent = false; !isCurrent; ) {
        const page: V3EventPage<T> = await send(pathAfter(after, 1000), 'items', { signal })
        // An empty page is not always the last one: the filter can remove all events of a page.
        isCurrent = page.next === after
        after = page.next
        yield { ...page, isCurrent }
      }
      if (follows && after !== undefined) yield* follow<V3Event<T>>(transport, { pathAfter, after, signal })
    },
  }
}

/** A page with included parts or changes has at most 50 passports. */
export function largestPage({ include = [], select = [], since }: V3PageOptions): number {
  const parts = [...include, ...select].map((path) => path.split('.', 1)[0] ?? '')
  const isLarge = parts.some((part) => ['credentials', 'standing', 'explanation'].includes(part))
  return isLarge || since !== undefined ? 50 : 250
}
