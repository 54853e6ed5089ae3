import { expect, test } from 'bun:test'
import { formatEventCursor } from '../../../src/core/history/event-cursor.ts'
import { retryWait, type Subscription } from '../../../src/features/webhooks/subscription.ts'
import { SUBSCRIPTIONS } from '../../support/features/webhooks.ts'
import { makeKey } from '../../support/http/keys.ts'
import {
  createSigningKey,
  deliverTo,
  receiveWebhooks,
  stateOf,
  subscribe,
  verify,
} from '../../support/http/webhook-receiver.ts'
import { openTestStore, saveRecords } from '../../support/store/engines.ts'
import { AUDIT } from '../../support/store/open.ts'
import { NOON, record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

const DAY = 86_400_000
const people = (count: number, from = 1) => Array.from({ length: count }, (_, at) => record(from + at))

/** A store with people and a key that owns subscriptions. */
async function openWithKey(count = 3) {
  const store = await openTestStore('sqlite', people(count))
  const { id: keyId } = await makeKey(store, 1)
  return Object.assign(store, {
    subscribe: (url: string, given: Partial<Subscription> = {}) => subscribe(store, url, { keyId, ...given }),
  })
}

const failing = () => receiveWebhooks(() => new Response('', { status: 500 }))
const numbers = (ids: readonly string[]) => ids.map((id) => Number(id.split('-')[1]))

test('the wait for a retry doubles from 10 ms to an hour, and up to half of it is random', () => {
  expect([1, 2, 3, 10].map((failures) => retryWait(failures, 0))).toEqual([10, 20, 40, 5120])
  expect([1, 2, 30].map((failures) => retryWait(failures, 1))).toEqual([5, 10, 1_800_000])
})

test('a subscription whose receiver fails waits for its next attempt, and its state tells why', async () => {
  await using store = await openWithKey()
  await using receiver = failing()
  const subscription = await store.subscribe(receiver.url)
  await using loop = deliverTo(store)
  await until(async () => (await stateOf(store, subscription)).nextAttemptAt > Date.now() + 1000)
  const state = await stateOf(store, subscription)
  expect(state).toMatchObject({ state: 'active', lastError: 'The receiver responded 500.' })
  expect([state.failures, new Set(receiver.ids()).size]).toEqual([loop.counts.failed, 1])
  expect(state.failingSince).toBeGreaterThan(NOON)
  expect(await store.data(SUBSCRIPTIONS).listDue(await store.events.log(), Date.now())).toEqual([])
})

test('a subscription that failed for three days becomes failed, and delivers again after it is set active', async () => {
  await using store = await openWithKey()
  const statuses = [500]
  await using receiver = receiveWebhooks(() => new Response('', { status: statuses.pop() ?? 200 }))
  const subscription = await store.subscribe(receiver.url, {
    failures: 40,
    failingSince: Date.now() - 3 * DAY,
  })
  await using _loop = deliverTo(store)
  await until(async () => (await stateOf(store, subscription)).state === 'failed')
  expect(receiver.received.length).toBe(1)
  await store.data(SUBSCRIPTIONS).change(subscription.id, { state: 'active' }, 'cli')
  await until(async () => (await stateOf(store, subscription)).cursor.sequence === 3)
  expect(await stateOf(store, subscription)).toMatchObject({ state: 'active', failures: 0, lastError: '' })
})

test('a receiver that responds 410 gets no further request', async () => {
  await using store = await openWithKey()
  await using receiver = receiveWebhooks(() => new Response('', { status: 410 }))
  const subscription = await store.subscribe(receiver.url)
  await using _loop = deliverTo(store)
  await until(async () => (await stateOf(store, subscription)).state === 'disabled')
  expect([receiver.received.length, (await stateOf(store, subscription)).lastError]).toEqual([
    1,
    'The receiver responded 410.',
  ])
})

test('a subscription that is paused during a delivery keeps the new position, and sends nothing more', async () => {
  await using store = await openWithKey()
  const reply = Promise.withResolvers<Response>()
  await using receiver = receiveWebhooks((_, count) => (count === 1 ? reply.promise : undefined))
  const subscription = await store.subscribe(receiver.url)
  await using loop = deliverTo(store)
  await until(() => receiver.received.length === 1)
  await store.data(SUBSCRIPTIONS).change(subscription.id, { state: 'paused' }, 'cli')
  reply.resolve(new Response())
  await until(async () => (await stateOf(store, subscription)).cursor.sequence === 1)
  expect(await stateOf(store, subscription)).toMatchObject({ state: 'paused' })
  await store.data(SUBSCRIPTIONS).change(subscription.id, { state: 'active' }, 'cli')
  await until(() => loop.counts.delivered === 3)
  expect(numbers(receiver.ids())).toEqual([1, 2, 3])
})

test('a subscription that is set back delivers events again, and one that is removed delivers none', async () => {
  await using store = await openWithKey()
  await using receiver = receiveWebhooks()
  const subscription = await store.subscribe(receiver.url)
  await using loop = deliverTo(store)
  await until(() => loop.counts.delivered === 3)
  const cursor = { ...subscription.cursor, sequence: 1 }
  await store.data(SUBSCRIPTIONS).change(subscription.id, { cursor }, 'cli')
  await until(() => loop.counts.delivered === 5)
  expect(numbers(receiver.ids())).toEqual([1, 2, 3, 2, 3])
  expect(await store.data(SUBSCRIPTIONS).remove(subscription.id, 'cli')).toBe(true)
  expect(await store.data(SUBSCRIPTIONS).remove(subscription.id, 'cli')).toBe(false)
  expect((await store.data(AUDIT).list({ limit: 3 })).map(({ action }) => action)).toEqual([
    'subscriptions.remove',
    'subscriptions.change',
    'subscriptions.create',
  ])
})

test.each([204, 410])(
  'a new URL gets all events whose delivery to the old one had not ended, also if that ends with %d',
  async (status) => {
    await using store = await openWithKey()
    await using receiver = receiveWebhooks()
    await using old = receiveWebhooks(async () => {
      await store.data(SUBSCRIPTIONS).change(subscription.id, { url: receiver.url }, 'cli')
      return new Response(null, { status })
    })
    const subscription = await store.subscribe(old.url)
    await using _loop = deliverTo(store)
    await until(async () => (await stateOf(store, subscription)).cursor.sequence === 3)
    expect([numbers(old.ids()), numbers(receiver.ids())]).toEqual([[1], [1, 2, 3]])
  },
)

test('a subscription whose events were pruned continues with the oldest event, and its notice says so', async () => {
  await using store = await openWithKey()
  await using receiver = receiveWebhooks()
  const subscription = await store.subscribe(receiver.url)
  await store.events.prune(NOON + 1)
  await saveRecords(store, people(2, 4))
  await using _loop = deliverTo(store)
  await until(async () => (await stateOf(store, subscription)).cursor.sequence === 5)
  expect(numbers(receiver.ids())).toEqual([4, 5])
  const { notice } = await stateOf(store, subscription)
  expect(notice).toContain(
    `The events after ${formatEventCursor(subscription.cursor)} are no longer in the log.`,
  )
})

test('a subscription of another log, as after a restore, continues with the oldest event, and its notice says so', async () => {
  await using store = await openWithKey()
  await using receiver = receiveWebhooks()
  const subscription = await store.subscribe(receiver.url, { cursor: { log: 'other', sequence: 2 } })
  await using _loop = deliverTo(store)
  await until(() => receiver.received.length === 3)
  expect((await stateOf(store, subscription)).notice).toContain(
    'The events after other-2 are no longer in the log.',
  )
})

test('a filter selects events by type, by passport, and by a score that reaches or crosses a threshold', async () => {
  await using store = await openWithKey(0)
  const filters = [
    { types: ['passport.changed' as const] },
    { passport: 2 },
    { score: { above: 50 } },
    { score: { below: 20 } },
    { types: ['score.changed' as const], score: { above: 50, below: 20 } },
  ]
  const receivers = filters.map(() => receiveWebhooks())
  for (const [at, filter] of filters.entries()) await store.subscribe(receivers[at]?.url ?? '', { filter })
  const scores = [
    [1, 10],
    [2, 50],
    [1, 49],
    [1, 50],
    [1, 60],
    [2, 20],
    [2, 10],
  ] as const
  for (const [at, [id, total]] of scores.entries())
    await saveRecords(store, [record(id, { scores: { total }, calculatedAt: NOON + at })])
  await saveRecords(store, [record(2, { scores: { total: 10 }, calculatedAt: NOON + 6, connections: 5 })])
  await using loop = deliverTo(store)
  await until(() => loop.counts.delivered === 1 + 4 + 2 + 1 + 2)
  expect(receivers.map(({ ids }) => numbers(ids()))).toEqual([[8], [2, 6, 7, 8], [2, 4], [6], [4, 6]])
  for (const receiver of receivers) await receiver[Symbol.asyncDispose]()
})

test('the position after events that the filter leaves out is saved at last after 500 events', async () => {
  await using store = await openWithKey(600)
  await using receiver = receiveWebhooks()
  const subscription = await store.subscribe(receiver.url, { filter: { types: ['rules.changed'] } })
  await using _loop = deliverTo(store)
  await until(async () => (await stateOf(store, subscription)).cursor.sequence >= 500)
  expect(receiver.received).toEqual([])
})

test('a subscription moves past the events that its filter leaves out', async () => {
  await using store = await openWithKey()
  await using receiver = receiveWebhooks()
  const subscription = await store.subscribe(receiver.url, { filter: { types: ['rules.changed'] } })
  await using _loop = deliverTo(store)
  await until(async () => (await stateOf(store, subscription)).cursor.sequence === 3)
  expect(receiver.received).toEqual([])
})

test('a receiver that does not respond delays only its own subscription', async () => {
  await using store = await openWithKey()
  await using silent = receiveWebhooks(() => new Promise(() => undefined))
  await using receiver = receiveWebhooks()
  const stuck = await store.subscribe(silent.url)
  await store.subscribe(receiver.url)
  await using loop = deliverTo(store, { timeout: 50 })
  await until(() => loop.counts.delivered === 3)
  await until(async () => (await stateOf(store, stuck)).lastError !== '')
  expect((await stateOf(store, stuck)).lastError).toBe('The receiver did not respond within 0.05 s.')
})

test('many receivers that did not respond before delay no other subscription', async () => {
  await using store = await openWithKey()
  const end = Promise.withResolvers<undefined>()
  await using silent = receiveWebhooks(() => end.promise)
  await using receiver = receiveWebhooks()
  for (let seed = 2; seed < 8; seed++) {
    const { id: keyId } = await makeKey(store, seed)
    for (let at = 0; at < 10; at++) await store.subscribe(silent.url, { keyId, failures: 1 })
  }
  await store.subscribe(receiver.url, { nextAttemptAt: 1 })
  await using loop = deliverTo(store)
  await until(() => loop.counts.delivered === 3)
  expect([receiver.received.length, loop.counts.failed]).toEqual([3, 0])
  end.resolve(undefined)
})

test('after a rotation, events are signed with the new and the old key until the old one ends', async () => {
  await using store = await openWithKey()
  await using receiver = receiveWebhooks()
  const [next, old, ended] = [createSigningKey(), createSigningKey(), createSigningKey()]
  const keys = [next, { ...old, until: Date.now() + DAY }, { ...ended, until: NOON }]
  await store.subscribe(receiver.url, { keys })
  await using _loop = deliverTo(store)
  await until(() => receiver.received.length === 3)
  for (const each of receiver.received) {
    expect(each.headers.get('webhook-signature')?.split(' ').length).toBe(4)
    for (const key of [next, old]) await verify(each, { keys: [key] })
    await expect(verify(each, { keys: [ended] })).rejects.toThrow('No matching signature found')
  }
})

test('an error of the database is logged, and delivery continues after it', async () => {
  await using store = await openWithKey()
  await using receiver = receiveWebhooks()
  const subscription = await store.subscribe(receiver.url)
  let isBroken = true
  const list: typeof store.events.list = (page) => {
    if (isBroken) throw new Error('disk fault')
    return store.events.list(page)
  }
  await using loop = deliverTo({ ...store, events: { ...store.events, list } })
  await until(() => loop.errors.length > 0)
  expect(loop.errors[0]).toContain('Webhooks cannot be delivered: Error: disk fault')
  isBroken = false
  await until(async () => (await stateOf(store, subscription)).cursor.sequence === 3)
  expect(receiver.received.length).toBe(3)
})
