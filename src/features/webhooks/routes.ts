import { actorOf, V3 } from '../../core/api/surface.ts'
import { notFound } from '../../core/basics/errors.ts'
import { quote } from '../../core/basics/text/quote.ts'
import { json } from '../../core/http/response.ts'
import { type Context, type RouteRequest, route } from '../../core/http/route.ts'
import { presentSubscription } from './present.ts'
import { readPatch, readRequest } from './request.ts'
import {
  Subscription as SubscriptionBody,
  SubscriptionList,
  SubscriptionPatch,
  SubscriptionRequest,
} from './schemas.ts'
import { createSigningKey } from './signature.ts'
import { SUBSCRIPTIONS } from './statements.ts'
import {
  MOST_SUBSCRIPTIONS_OF_KEY,
  NO_FAILURES,
  OLD_KEY_MILLISECONDS,
  type Subscription,
} from './subscription.ts'

const COLLECTION = { path: '/api/v3/subscriptions', scope: 'events', needsKey: true } as const
const NO_WEBHOOK = { not_found: 'The key has no webhook with this id' }

const ITEM = {
  ...COLLECTION,
  path: '/api/v3/subscriptions/:id',
  params: { id: { description: 'The id of a subscription of this key', example: 'sub_9f2c41d07a3be615' } },
  response: SubscriptionBody,
} as const

export const SUBSCRIPTION_ROUTES = [
  route(V3, {
    ...COLLECTION,
    name: 'v3_subscriptions',
    id: 'listSubscriptions',
    summary: 'List the webhooks of the key',
    response: SubscriptionList,
    handle: list,
  }),
  route(V3, {
    ...COLLECTION,
    name: 'v3_subscribe',
    methods: ['POST'],
    id: 'subscribe',
    summary: 'Create a webhook',
    description: `Events are sent to the URL with POST, one at a time and in order, until the receiver responds with 2xx. Requests are signed as Standard Webhooks are (headers webhook-id, webhook-timestamp and webhook-signature), and repeated for three days. A key may have ${MOST_SUBSCRIPTIONS_OF_KEY} subscriptions, and may create, change and rotate them 100 times in an hour.`,
    body: SubscriptionRequest,
    response: SubscriptionBody,
    status: 201,
    errors: ['not_found', 'ambiguous', 'cursor_expired', 'unsupported_media_type'],
    handle: create,
  }),
  route(V3, {
    ...ITEM,
    name: 'v3_subscription',
    id: 'getSubscription',
    summary: 'Get the delivery state of a webhook',
    errors: ['not_found'],
    errorWords: NO_WEBHOOK,
    handle: get,
  }),
  route(V3, {
    ...ITEM,
    name: 'v3_change_subscription',
    methods: ['PATCH'],
    id: 'changeSubscription',
    summary: 'Pause, resume, replay or change a webhook',
    description:
      '`{"state":"paused"}` pauses. `{"after":"k3f9a2-17"}` delivers the events after a cursor again. Absent members stay unchanged.',
    body: SubscriptionPatch,
    errors: ['not_found', 'ambiguous', 'cursor_expired', 'unsupported_media_type'],
    errorWords: { not_found: 'The key has no webhook with this id, or `passport` does not exist' },
    handle: patch,
  }),
  route(V3, {
    ...ITEM,
    name: 'v3_remove_subscription',
    methods: ['DELETE'],
    id: 'removeSubscription',
    summary: 'Remove a webhook',
    errors: ['not_found'],
    errorWords: NO_WEBHOOK,
    handle: endSubscription,
  }),
  route(V3, {
    ...ITEM,
    path: '/api/v3/subscriptions/:id/rotate',
    name: 'v3_rotate_subscription',
    methods: ['POST'],
    id: 'rotateSubscription',
    summary: 'Replace the secret and the public key of a webhook',
    description: 'For 24 hours, events are also signed with the old keys.',
    errors: ['not_found'],
    errorWords: NO_WEBHOOK,
    handle: rotate,
  }),
]

/** Each key adds two signatures to a request. */
const MOST_OLD_KEYS = 4

/** Throws `not_found`, also for the subscription of another key. */
async function findSubscription({ store, principal }: Context, id: string): Promise<Subscription> {
  // PostgreSQL refuses a text with the character U+0000.
  const subscription = /^\w+$/.test(id) ? await store.data(SUBSCRIPTIONS).find(id) : undefined
  return subscription?.keyId === principal.id ? subscription : missing(id)
}

function missing(id: string): never {
  throw notFound(`This key has no subscription ${quote(id)}.`)
}

async function list(_request: Request, context: Context): Promise<Response> {
  const { store, principal } = context
  const log = await store.events.log()
  const subscriptions = await store.data(SUBSCRIPTIONS).list(principal.id)
  return json(
    context,
    JSON.stringify({ items: subscriptions.map((subscription) => presentSubscription(subscription, log)) }),
  )
}

async function get({ params }: RouteRequest<'id'>, context: Context): Promise<Response> {
  const log = await context.store.events.log()
  return json(context, JSON.stringify(presentSubscription(await findSubscription(context, params.id), log)))
}

/** The response to a change. Only the response that creates a secret contains it. */
async function respond(
  context: Context,
  subscription: Subscription,
  { status = 200, secret }: { status?: number; secret?: string } = {},
): Promise<Response> {
  const body = presentSubscription(subscription, await context.store.events.log())
  const text = JSON.stringify({ ...body, ...(secret !== undefined && { secret }) })
  return new Response(text, { status, headers: context.headers })
}

async function create(request: Request, context: Context): Promise<Response> {
  const key = createSigningKey()
  const subscription: Subscription = {
    ...(await readRequest(request, context)),
    id: `sub_${crypto.getRandomValues(new Uint8Array(8)).toHex()}`,
    keyId: context.principal.id,
    keys: [key],
    createdAt: context.now(),
    state: 'active',
    notice: '',
    lastDeliveredAt: null,
    ...NO_FAILURES,
  }
  context.limiter.consumeFixed('changes of webhooks', context.principal.id)
  await context.store.data(SUBSCRIPTIONS).create(subscription, actorOf(context))
  return respond(context, subscription, { status: 201, secret: key.secret })
}

async function patch(request: RouteRequest<'id'>, context: Context): Promise<Response> {
  const { id } = request.params
  const { filter } = await findSubscription(context, id)
  const changes = await readPatch(request, context, filter)
  context.limiter.consumeFixed('changes of webhooks', context.principal.id)
  const changed = await context.store.data(SUBSCRIPTIONS).change(id, changes, actorOf(context))
  return respond(context, changed ?? missing(id))
}

async function rotate({ params: { id } }: RouteRequest<'id'>, context: Context): Promise<Response> {
  const key = createSigningKey()
  const end = context.now() + OLD_KEY_MILLISECONDS
  // A client that lost the response rotates again: receivers then still have the key before the last one.
  const old = (await findSubscription(context, id)).keys.filter(({ until = end }) => until > context.now())
  const keys = [key, ...old.slice(0, MOST_OLD_KEYS).map((oldKey) => ({ until: end, ...oldKey }))]
  context.limiter.consumeFixed('changes of webhooks', context.principal.id)
  const changed = await context.store.data(SUBSCRIPTIONS).change(id, { keys }, actorOf(context))
  return respond(context, changed ?? missing(id), { secret: key.secret })
}

async function endSubscription({ params: { id } }: RouteRequest<'id'>, context: Context): Promise<Response> {
  const subscription = await findSubscription(context, id)
  await context.store.data(SUBSCRIPTIONS).remove(id, actorOf(context))
  return respond(context, subscription)
}
