import { Webhook } from 'standardwebhooks'
import type { Store } from '../../../src/core/store/store.ts'
import { createDeliveryLoop } from '../../../src/features/webhooks/delivery-loop.ts'
import { createSigningKey, type SigningKey } from '../../../src/features/webhooks/signature.ts'
import type { SubscriptionStore } from '../../../src/features/webhooks/statements.ts'
import { LEASES, SUBSCRIPTIONS } from '../../../src/features/webhooks/statements.ts'
import { NO_FAILURES, type Subscription } from '../../../src/features/webhooks/subscription.ts'
import { NOON } from '../store/records.ts'

export { createSigningKey, signMessage } from '../../../src/features/webhooks/signature.ts'

export type Received = {
  id: string
  headers: Headers
  body: string
  event: { id: string; type: string; subject?: string }
}

/** A receiver of webhooks. `respond` decides about each request; 204 by default. */
export function receiveWebhooks(
  respond: (received: Received, count: number) => Response | undefined | Promise<Response | undefined> = () =>
    undefined,
) {
  const received: Received[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = await request.text()
      const { headers } = request
      received.push({ id: headers.get('webhook-id') ?? '', headers, body, event: JSON.parse(body) })
      return (
        (await respond(received.at(-1) as Received, received.length)) ?? new Response(null, { status: 204 })
      )
    },
  })
  return {
    received,
    url: `${server.url.origin}/hook`,
    port: server.port as number,
    ids: () => received.map(({ id }) => id),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** Checks with the newest key: `v1` with the package `standardwebhooks`, and each `v1a` with WebCrypto. Throws if one is wrong. */
export async function verify({ headers, body }: Received, { keys }: Pick<Subscription, 'keys'>) {
  const { secret, publicKey } = keys[0] as SigningKey
  new Webhook(secret).verify(body, Object.fromEntries(headers))
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
    (name) => headers.get(`webhook-${name}`) ?? '',
  )
  const raw = Buffer.from(publicKey.replace('whpk_', ''), 'base64')
  const key = await crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify'])
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const checks = (signatures ?? '')
    .split(' ')
    .filter((each) => each.startsWith('v1a,'))
    .map((each) => crypto.subtle.verify('Ed25519', key, Buffer.from(each.slice(4), 'base64'), signed))
  if (!(await Promise.all(checks)).includes(true)) throw new Error(`No v1a signature of ${id} is valid`)
}

/** Stores a subscription that begins at the start of the log. */
export async function subscribe(
  store: Store,
  url: string,
  given: Partial<Subscription> = {},
): Promise<Subscription> {
  const { name, first } = await store.events.log()
  const subscription: Subscription = {
    id: `sub_${crypto.randomUUID()}`,
    keyId: 'none',
    url,
    filter: {},
    keys: [createSigningKey()],
    createdAt: NOON,
    state: 'active',
    cursor: { log: name, sequence: first - 1 },
    notice: '',
    lastDeliveredAt: null,
    ...NO_FAILURES,
    ...given,
  }
  await store.data(SUBSCRIPTIONS).create(subscription, 'cli')
  return subscription
}

export const stateOf = async (store: Store, { id }: Subscription) =>
  (await store.data(SUBSCRIPTIONS).find(id)) as Subscription

type LoopOptions = Partial<Omit<Parameters<typeof createDeliveryLoop>[0], 'store'>>

export type ListDue = SubscriptionStore['listDue']

/** Delivers until disposed. `errors` are the entries of the log. */
export function deliverTo(store: Store, { listDue, ...given }: LoopOptions & { listDue?: ListDue } = {}) {
  const errors: string[] = []
  const log = { error: (message: string) => void errors.push(message) }
  const counts = { delivered: 0, failed: 0 }
  const loop = createDeliveryLoop({
    store: {
      events: store.events,
      subscriptions: { ...store.data(SUBSCRIPTIONS), ...(listDue && { listDue }) },
      leases: store.data(LEASES),
    },
    source: 'https://passports.example.com/api/v3',
    allowPrivate: true,
    onAttempt: (result) => void counts[result]++,
    ...given,
  })
  let isEnding = false
  const running = (async () => {
    while (!isEnding) {
      await Promise.try(loop.run, log).catch((error) => errors.push(String(error)))
      await Bun.sleep(5)
    }
  })()
  return {
    counts,
    errors,
    async [Symbol.asyncDispose]() {
      isEnding = true
      await running
      await loop.end()
    },
  }
}
