import { type RequestOptions, type Transport, toQuery, toSegment } from './transport.ts'
import type {
  V3Record,
  V3Subscription,
  V3SubscriptionPatch,
  V3SubscriptionRequest,
  V3WriteResult,
} from './types.ts'
import type { WriteOptions } from './v3-options.ts'

export function createWriteCalls({ send }: Transport) {
  return {
    /**
     * Stores up to 1,000 records or 1 MiB in one transaction: all of them, or none. Writing them again changes nothing, so
     * failed requests are retried. Needs a key with the scope `write:ISSUER` or `write:*`.
     */
    async write(records: readonly V3Record[], options: WriteOptions = {}): Promise<V3WriteResult> {
      const { dryRun, signal, ...unknown } = options
      return send(`/v3/records${toQuery({ dry_run: dryRun, ...unknown })}`, 'outcomes', {
        body: { records },
        signal,
      })
    },
    /** Webhooks of the key; it needs the scope `events`. */
    subscriptions: createSubscriptionCalls(send),
  }
}

function createSubscriptionCalls(send: Transport['send']) {
  /** `path` is empty, or a slash and the id. */
  const call = (path: string, options: Parameters<typeof send>[2]) =>
    send<V3Subscription>(`/v3/subscriptions${path}`, 'id', options)
  return {
    /** Only the results of `create` and `rotate` have a `secret`. Not retried, because each request creates a webhook. */
    async create(request: V3SubscriptionRequest, options: RequestOptions = {}): Promise<V3Subscription> {
      return call('', { ...options, body: request, isOnce: true })
    },
    /** Oldest first. */
    async list(options: RequestOptions = {}): Promise<V3Subscription[]> {
      return (await send<{ items: V3Subscription[] }>('/v3/subscriptions', 'items', options)).items
    },
    async get(id: string, options: RequestOptions = {}): Promise<V3Subscription> {
      return call(`/${toSegment(id)}`, options)
    },
    /** Pauses, resumes, replays or changes the webhook. Returns its new state. */
    async change(
      id: string,
      patch: V3SubscriptionPatch,
      options: RequestOptions = {},
    ): Promise<V3Subscription> {
      return call(`/${toSegment(id)}`, { ...options, method: 'PATCH', body: patch })
    },
    /** The result has the new `secret`. For 24 hours, events are also signed with the old one. Not retried. */
    async rotate(id: string, options: RequestOptions = {}): Promise<V3Subscription> {
      return call(`/${toSegment(id)}/rotate`, { ...options, method: 'POST', isOnce: true })
    },
    /** Returns the last state. */
    async remove(id: string, options: RequestOptions = {}): Promise<V3Subscription> {
      return call(`/${toSegment(id)}`, { ...options, method: 'DELETE' })
    },
  }
}
