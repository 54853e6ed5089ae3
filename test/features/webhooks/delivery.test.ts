import { expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import type { Store } from '../../../src/core/store/store.ts'
import { createLease } from '../../../src/features/webhooks/lease.ts'
import { sendWebhook } from '../../../src/features/webhooks/send.ts'
import type { Subscription } from '../../../src/features/webhooks/subscription.ts'
import { LEASES, SUBSCRIPTIONS } from '../../support/features/webhooks.ts'
import { makeKey } from '../../support/http/keys.ts'
import {
  deliverTo,
  type ListDue,
  receiveWebhooks,
  stateOf,
  subscribe,
  verify,
} from '../../support/http/webhook-receiver.ts'
import { onEveryEngine, openTestStore, saveRecords } from '../../support/store/engines.ts'
import { NOON, record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

const people = (count: number, from = 1) => Array.from({ length: count }, (_, at) => record(from + at))

/** A key whose subscriptions are delivered. */
const keyOf = async (store: Store, seed = 1) => ({ keyId: (await makeKey(store, seed)).id })

onEveryEngine('webhooks', (open) => {
  test('events are delivered in order as CloudEvents, and both signatures are valid', async () => {
    await using store = await open(people(30))
    await using receiver = receiveWebhooks()
    const subscription = await subscribe(store, receiver.url, await keyOf(store))
    await using loop = deliverTo(store)
    await until(() => receiver.received.length === 30)
    const { name } = await store.events.log()
    expect(receiver.ids()).toEqual(people(30).map(({ id }) => `${name}-${id}`))
    const [first] = receiver.received
    expect(first?.headers.get('content-type')).toBe('application/cloudevents+json')
    expect(JSON.parse(first?.body ?? '')).toEqual({
      specversion: '1.0',
      id: `${name}-1`,
      source: 'https://passports.example.com/api/v3',
      type: 'passport.added',
      subject: '1',
      time: new Date(NOON).toISOString(),
      data: { score: 0, human_checkmark: false, rules: null },
    })
    for (const each of receiver.received) await verify(each, subscription)
    await until(async () => (await stateOf(store, subscription)).cursor.sequence === 30)
    await saveRecords(store, people(2, 31))
    await until(() => loop.counts.delivered === 32)
    expect([loop.counts, loop.errors]).toEqual([{ delivered: 32, failed: 0 }, []])
  })

  test('an event is not repeated if its delivery ends while due subscriptions are read', async () => {
    await using store = await open(people(1))
    const reads: unknown[] = []
    await using receiver = receiveWebhooks(() => until(() => reads.length > 2).then(() => undefined))
    const subscription = await subscribe(store, receiver.url, await keyOf(store))
    const listDue: ListDue = async (...args) => {
      const due = await store.data(SUBSCRIPTIONS).listDue(...args)
      // The third read ends after the delivery that the second one started.
      if (reads.push(due) === 3)
        await until(async () => (await stateOf(store, subscription)).cursor.sequence === 1)
      return due
    }
    await using loop = deliverTo(store, { listDue })
    await until(() => reads.length > 4)
    expect(reads.slice(0, 3)).toEqual([[subscription], [subscription], [subscription]])
    expect(receiver.received).toHaveLength(1)
    expect(loop.counts).toEqual({ delivered: 1, failed: 0 })
  })

  test('an event is not repeated if another node delivers it while due subscriptions are read', async () => {
    await using store = await open(people(1))
    await using receiver = receiveWebhooks()
    await subscribe(store, receiver.url, await keyOf(store))
    let reads = 0
    const listDue: ListDue = async (...args) => {
      const due = await store.data(SUBSCRIPTIONS).listDue(...args)
      if (reads++ > 0) return due
      await using other = deliverTo(store)
      await until(() => other.counts.delivered === 1)
      return due
    }
    await using _loop = deliverTo(store, { listDue })
    await until(() => reads > 3)
    expect(receiver.received).toHaveLength(1)
  })

  test('a failed attempt is repeated with the same id and a new signature before the next event is sent', async () => {
    await using store = await open(people(3))
    await using receiver = receiveWebhooks((_, count) =>
      count <= 4 ? new Response('', { status: 500 }) : undefined,
    )
    const subscription = await subscribe(store, receiver.url, await keyOf(store))
    await using loop = deliverTo(store)
    await until(async () => (await stateOf(store, subscription)).cursor.sequence === 3)
    const { name } = await store.events.log()
    expect(receiver.ids()).toEqual([1, 1, 1, 1, 1, 2, 3].map((sequence) => `${name}-${sequence}`))
    for (const each of receiver.received) await verify(each, subscription)
    expect(loop.counts).toEqual({ delivered: 3, failed: 4 })
    expect(await stateOf(store, subscription)).toMatchObject({ failures: 0, lastError: '', state: 'active' })
  })

  test.each([
    ['removed', (store: Store) => store.passports.remove(1, NOON)],
    ['hidden', (store: Store) => store.passports.hide(1, true, NOON)],
  ])(
    'after a passport was %s, none of its events is sent, except the one that says so',
    async (_, change) => {
      await using store = await open([record(1), record(2)])
      for (let edit = 1; edit <= 8; edit++)
        await saveRecords(store, [record(1, { profile: { bio: `${edit}` } })])
      await using receiver = receiveWebhooks(async (_, count) => {
        if (count === 3) await change(store)
        return count === 4 ? new Response('', { status: 500 }) : undefined
      })
      const subscription = await subscribe(store, receiver.url, await keyOf(store))
      await using loop = deliverTo(store)
      await until(async () => (await stateOf(store, subscription)).cursor.sequence === 11)
      const sent = receiver.received.map(({ event }) => [event.subject, event.type])
      expect(sent).toEqual([
        ['1', 'passport.added'],
        ['2', 'passport.added'],
        ['1', 'passport.changed'],
        ['1', 'passport.removed'],
        ['1', 'passport.removed'],
      ])
      expect(loop.counts).toEqual({ delivered: 4, failed: 1 })
    },
  )

  test('a subscription of a revoked, expired or restricted key gets no events, and the successor of a rotated key owns its subscriptions', async () => {
    await using store = await open(people(1))
    await using receiver = receiveWebhooks()
    const [revoked, expired, restricted, old, next] = await Promise.all(
      [1, 2, 3, 4, 5].map((seed) => keyOf(store, seed)),
    )
    const made: Subscription[] = []
    for (const owner of [revoked, expired, restricted, old])
      made.push(await subscribe(store, receiver.url, owner))
    await store.keys.revoke(revoked?.keyId ?? '', NOON)
    await store.keys.update(expired?.keyId ?? '', { expiresAt: NOON })
    await store.keys.update(restricted?.keyId ?? '', { scopes: ['read'] })
    await store.keys.replace(old?.keyId ?? '', next?.keyId ?? '', NOON)
    expect((await store.data(SUBSCRIPTIONS).list()).map(({ keyId }) => keyId).toSorted()).toEqual(
      [expired, restricted, next].map((each) => each?.keyId ?? '').toSorted(),
    )
    await using _loop = deliverTo(store)
    await until(async () => (await stateOf(store, made[3] as Subscription)).cursor.sequence === 1)
    expect(receiver.received.length).toBe(1)
    await store.keys.purge(Date.now())
    expect((await store.data(SUBSCRIPTIONS).list()).length).toBe(2)
  })

  test('a subscription that a rotated key creates before it expires belongs to the successor', async () => {
    await using store = await open()
    const [old, next] = [await keyOf(store, 1), await keyOf(store, 2)]
    await store.keys.replace(old.keyId, next.keyId, Date.now() + 60_000)
    await subscribe(store, 'https://example.com', old)
    expect((await store.data(SUBSCRIPTIONS).list()).map(({ keyId }) => keyId)).toEqual([next.keyId])
  })

  test('a node that stops hands its lease over, and a lease of a dead node ends by itself', async () => {
    await using store = await open()
    const leases = store.data(LEASES)
    expect(await leases.acquire('webhooks', 'one', 50)).toBe(true)
    expect(await leases.acquire('webhooks', 'one', 60_000)).toBe(true)
    expect(await leases.acquire('webhooks', 'two', 60_000)).toBe(false)
    await leases.release('webhooks', 'two')
    expect(await leases.acquire('webhooks', 'two', 60_000)).toBe(false)
    await leases.release('webhooks', 'one')
    expect(await leases.acquire('webhooks', 'two', 100)).toBe(true)
    // A lease that ends later than any lease can was made before the clock was set back.
    expect(await leases.acquire('webhooks', 'three', 10)).toBe(true)
    await until(async () => leases.acquire('webhooks', 'four', 60_000))
    expect(await leases.acquire('webhooks', 'three', 60_000)).toBe(false)
  })

  test('of two nodes only one delivers, and the other one continues when it stops', async () => {
    await using store = await open(people(5))
    await using receiver = receiveWebhooks()
    const subscription = await subscribe(store, receiver.url, await keyOf(store))
    const first = deliverTo(store)
    await until(() => first.counts.delivered === 5)
    await using second = deliverTo(store)
    await saveRecords(store, people(20, 6))
    await until(() => first.counts.delivered + second.counts.delivered > 5)
    await first[Symbol.asyncDispose]()
    await saveRecords(store, people(5, 26))
    await until(async () => (await stateOf(store, subscription)).cursor.sequence === 30)
    expect(receiver.ids().map((id) => Number(id.split('-')[1]))).toEqual(people(30).map(({ id }) => id))
    expect(second.counts.delivered).toBeGreaterThanOrEqual(5)
  })

  test('a lease that is not renewed ends by itself and ends attempts in progress, and a lost one is not renewed', async () => {
    await using store = await open()
    const [lease, other] = [
      createLease(store.data(LEASES), 'test', 1000),
      createLease(store.data(LEASES), 'test', 1000),
    ]
    expect([await lease.renew(), await other.renew()]).toEqual([true, false])
    const signal = lease.signal()
    expect([lease.isHeld(), signal.aborted]).toEqual([true, false])
    await until(() => signal.aborted)
    expect(lease.isHeld()).toBe(false)
    await until(() => other.renew())
    expect([other.isHeld(), await lease.renew(), lease.signal().aborted]).toEqual([true, false, true])
    await other.release()
    expect([other.isHeld(), await lease.renew(), lease.signal().aborted]).toEqual([false, true, false])
    await lease.release()
  })
})

/** A receiver that calls `respond` when a request arrives. */
async function receiveRaw(respond: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => respond(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/`, [Symbol.dispose]: () => void server.close() }
}

const attempt = (url: string, given: Partial<Parameters<typeof sendWebhook>[3]> = {}) =>
  sendWebhook(url, {}, '{}', { allowPrivate: true, signal: new AbortController().signal, ...given })

/** Sends an interim response again and again. */
function repeatInterim(socket: Socket): void {
  const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'))
  socket.on('close', () => clearInterval(timer))
}

const TOO_MANY = { error: 'The receiver sent more than 4 interim responses (1xx).' }

test('an attempt ends at the fifth interim response', async () => {
  let isClosed = false
  using receiver = await receiveRaw((socket) => {
    socket.on('close', () => {
      isClosed = true
    })
    repeatInterim(socket)
  })
  expect(await attempt(receiver.url)).toEqual(TOO_MANY)
  await until(() => isClosed)
})

test('a receiver may send four interim responses, also 100 Continue', async () => {
  using receiver = await receiveRaw((socket) =>
    socket.end(
      `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3)}HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n`,
    ),
  )
  expect(await attempt(receiver.url)).toEqual({ status: 204 })
})

test('an attempt ends while the headers of a response arrive, if they are larger than 12,800 bytes', async () => {
  using receiver = await receiveRaw(
    (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${`X-Filler: ${'x'.repeat(990)}\r\n`.repeat(13)}`),
  )
  expect(await attempt(receiver.url)).toEqual({ error: 'The connection failed (HPE_HEADER_OVERFLOW).' })
})

test('a resolver that returns no address makes the attempt fail', async () => {
  const failed = { error: 'The connection failed (ENOTFOUND).' }
  for (const url of ['http://empty.example/', 'https://empty.example/'])
    expect(await attempt(url, { resolve: async () => [] })).toEqual(failed)
})

test('a receiver that sends interim responses for ever fails, and other subscriptions get their events', async () => {
  await using store = await openTestStore(
    'sqlite',
    Array.from({ length: 20 }, (_, at) => record(at + 1)),
  )
  using hostile = await receiveRaw(repeatInterim)
  await using receiver = receiveWebhooks()
  const { id: keyId } = await makeKey(store, 1)
  const failing = await subscribe(store, hostile.url, { keyId })
  await subscribe(store, receiver.url, { keyId })
  await using _loop = deliverTo(store)
  await until(() => receiver.received.length === 20)
  await until(async () => (await stateOf(store, failing)).failures > 0)
  expect((await stateOf(store, failing)).lastError).toBe(TOO_MANY.error)
})
