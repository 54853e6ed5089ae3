import { pause } from '../../core/basics/jobs.ts'
import type { EventLog, LogEvent } from '../../core/history/event.ts'
import { type EventCursor, formatEventCursor, isInLog } from '../../core/history/event-cursor.ts'
import { presentEvent, presentTime } from '../../core/history/present-event.ts'
import type { Store } from '../../core/store/store.ts'
import { type Reply, type SendOptions, sendWebhook } from './send.ts'
import { signMessage } from './signature.ts'
import type { DeliveryProgress, SubscriptionStore } from './statements.ts'
import {
  GIVE_UP_MILLISECONDS,
  logFilterOf,
  matchesScore,
  NO_FAILURES,
  retryWait,
  type Subscription,
} from './subscription.ts'

/** Events that are read at once. */
const PAGE = 100

/** After this time, subscriptions that wait get their turn, and changes of the subscription take effect. */
const TURN_MILLISECONDS = 5000

/** A longer wait for a retry ends the turn. */
const SHORT_WAIT_MILLISECONDS = 1000

export type DeliveryOptions = SendOptions & {
  store: { events: Store['events']; subscriptions: SubscriptionStore }
  source: string
  /** Whether this node still has the lease. Asked before each attempt. */
  mayDeliver: () => boolean
  onAttempt: (result: 'delivered' | 'failed') => void
}

/** `subscription` is what the database has. */
type Turn = { options: DeliveryOptions; subscription: Subscription; end: number }

/**
 * Delivers events one after another, each until the receiver responds with 2xx. The position is saved after each one,
 * so that a crash repeats at most one event.
 */
export async function deliverEvents(subscription: Subscription, options: DeliveryOptions): Promise<void> {
  const turn: Turn = { options, subscription, end: performance.now() + TURN_MILLISECONDS }
  const { events } = options.store
  while (mayGoOn(turn)) {
    const { cursor, filter } = turn.subscription
    const page = await events.list({ after: cursor.sequence, limit: PAGE, ...logFilterOf(filter) })
    if (!isInLog(cursor, page.log)) {
      if (await savePosition(turn, restart(cursor, page.log))) continue
      return
    }
    for (const event of page.events) if (matchesScore(filter, event) && !(await deliver(turn, event))) return
    // The filter left out the last events of the page.
    const isBehind = page.end > turn.subscription.cursor.sequence
    if (isBehind && !(await savePosition(turn, { cursor: { ...cursor, sequence: page.end } }))) return
    if (page.end >= page.log.last) return
  }
}

const mayGoOn = ({ options, end }: Turn) =>
  options.mayDeliver() && !options.signal.aborted && performance.now() < end

/**
 * Returns false if the turn ends: the subscription is no longer active, or a client changed or removed it meanwhile.
 */
async function savePosition(turn: Turn, progress: DeliveryProgress): Promise<boolean> {
  const { options, subscription } = turn
  turn.subscription = { ...subscription, ...progress }
  return options.store.subscriptions.save(subscription, progress)
}

/** Whether the log still serves the event: its passport may have been removed or hidden since the event was read. */
async function isServed({ options, subscription }: Turn, { sequence }: LogEvent): Promise<boolean> {
  const { events, log } = await options.store.events.list({ after: sequence - 1, limit: 1 })
  return log.name === subscription.cursor.log && events[0]?.sequence === sequence
}

/** Tries until the receiver accepts the event. Returns false if the turn ends. */
async function deliver(turn: Turn, event: LogEvent): Promise<boolean> {
  const { options } = turn
  const cursor = { ...turn.subscription.cursor, sequence: event.sequence }
  const wire = presentEvent(event, { log: cursor.log, source: options.source })
  const message = { id: wire.id, body: JSON.stringify(wire) }
  while (mayGoOn(turn)) {
    if (!(await isServed(turn, event))) return savePosition(turn, { cursor })
    const { url, keys } = turn.subscription
    const reply = await sendWebhook(url, signMessage(message, keys, Date.now()), message.body, options)
    const isDelivered = 'status' in reply && reply.status >= 200 && reply.status < 300
    // The attempt was ended by this node, so it is no failure of the receiver.
    if (!isDelivered && options.signal.aborted) return false
    options.onAttempt(isDelivered ? 'delivered' : 'failed')
    const now = Date.now()
    // After a delivery, subscriptions that wait come first in the next turn.
    if (isDelivered)
      return savePosition(turn, { ...NO_FAILURES, cursor, lastDeliveredAt: now, nextAttemptAt: now })
    if (!(await savePosition(turn, toFailed(turn.subscription, reply, now)))) return false
    const wait = turn.subscription.nextAttemptAt - Date.now()
    if (wait > SHORT_WAIT_MILLISECONDS) return false
    await pause(Math.max(wait, 0), options.signal)
  }
  return false
}

function toFailed(subscription: Subscription, reply: Reply, now: number): DeliveryProgress {
  const failingSince = subscription.failingSince ?? now
  const failures = subscription.failures + 1
  const isGone = 'status' in reply && reply.status === 410
  const hasFailed = now - failingSince >= GIVE_UP_MILLISECONDS
  return {
    ...((isGone || hasFailed) && { state: isGone ? 'disabled' : 'failed' }),
    failures,
    failingSince,
    nextAttemptAt: now + Math.ceil(retryWait(failures)),
    lastError: 'error' in reply ? reply.error : `The receiver responded ${reply.status}.`,
  }
}

/** The log was replaced (a restored backup) or pruned: delivery continues with its oldest event. */
function restart(lost: EventCursor, { name, first }: EventLog): DeliveryProgress {
  const cursor = { log: name, sequence: first - 1 }
  const notice = `The events after ${formatEventCursor(lost)} are no longer in the log. On ${presentTime(Date.now())} delivery continued after ${formatEventCursor(cursor)}, with the oldest event.`
  return { cursor, notice }
}
