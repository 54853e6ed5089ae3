import { describeError } from '../../core/basics/errors.ts'
import type { ErrorLog } from '../../core/basics/jobs.ts'
import { type DeliveryOptions, deliverEvents } from './deliver-events.ts'
import { createLease } from './lease.ts'
import type { LeaseStore } from './statements.ts'
import type { Subscription } from './subscription.ts'

/** Subscriptions that are delivered at the same time. Each has at most one request in progress. */
const MOST_RUNNING = 50

/**
 * A subscription whose last attempt failed starts only below this number, so that many of them do not delay the others.
 */
const MOST_RUNNING_AFTER_FAILURE = 25

/** When the thread stops, requests in progress may take this long. */
const GRACE_MILLISECONDS = 3000

type Options = Omit<DeliveryOptions, 'store' | 'signal' | 'mayDeliver'> & {
  store: DeliveryOptions['store'] & { leases: LeaseStore }
}

/**
 * Delivers the events of all subscriptions while this node has the lease. `run` must be called at least every two
 * seconds.
 */
export function createDeliveryLoop({ store, ...options }: Options) {
  const lease = createLease(store.leases, 'webhooks')
  const stop = new AbortController()
  const running = new Map<string, Promise<void>>()
  let isStopping = false
  const deliver = (subscription: Subscription, errors: ErrorLog) =>
    deliverEvents(subscription, {
      ...options,
      store,
      signal: AbortSignal.any([lease.signal(), stop.signal]),
      mayDeliver: () => lease.isHeld() && !isStopping,
    })
      .catch((error) => errors.error(`Webhooks cannot be delivered: ${describeError(error)}`))
      .finally(() => running.delete(subscription.id))

  return {
    /** Starts the deliveries that are due. Takes the lease only if there are any. */
    async run(errors: ErrorLog): Promise<void> {
      // A delivery may end while its subscription is read. What was read is then outdated.
      const before = new Set(running.keys())
      const wasHeld = lease.isHeld()
      let due = await listDue(store)
      if ((due.length === 0 && running.size === 0) || !(await lease.renew())) return
      // Until this node had the lease, another node may have delivered.
      if (!wasHeld) due = await listDue(store)
      for (const subscription of due) {
        const { id, failures } = subscription
        const most = failures > 0 ? MOST_RUNNING_AFTER_FAILURE : MOST_RUNNING
        if (running.size < most && !before.has(id)) running.set(id, deliver(subscription, errors))
      }
    },
    async end(): Promise<void> {
      isStopping = true
      const timer = setTimeout(() => stop.abort(), GRACE_MILLISECONDS)
      await Promise.all(running.values())
      clearTimeout(timer)
      // A lease that cannot be released ends by itself.
      await lease.release().catch(() => undefined)
    },
  }
}

const listDue = async ({ subscriptions, events }: DeliveryOptions['store']) =>
  subscriptions.listDue(await events.log(), Date.now())
