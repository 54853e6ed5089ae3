import type { EventLog, LogEvent } from '../../domain/history/event.ts'
import { formatEventCursor, isInLog } from '../../domain/history/event-cursor.ts'
import { presentEvent, presentTime } from '../../domain/v3/present-event.ts'
import { signMessage } from '../../domain/webhooks/signature.ts'
import {
  GIVE_UP_MILLISECONDS,
  logFilterOf,
  matchesScore,
  NO_FAILURES,
  retryWait,
  type Subscription,
} from '../../domain/webhooks/subscription.ts'
import type { Store } from '../../store/store.ts'
import { pause } from '../jobs/supervise.ts'
import { type Reply, type SendOptions, send } from './send.ts'

/** Events that are read at once. */
const PAGE = 100

/** After this time, subscriptions that wait get their turn, and changes of the subscription take effect. */
const TURN_MILLISECONDS = 5000

/** A longer wait for a retry ends the turn. */
const SHORT_WAIT_MILLISECONDS = 1000

export type DeliveryOptions = SendOptions & {
  store: Pick<Store, 'events' | 'subscriptions'>
  /** The `source` of the events: the URL of the API. */
  source: string
  now: () => number
  /** Whether this node still has the lease. Asked before each attempt. */
  mayDeliver: () => boolean
  onAttempt: (result: 'delivered' | 'failed') => void
}

/** `saved` is in the database, `current` may have later failures. */
type Turn = { options: DeliveryOptions; saved: Subscription; current: Subscription; end: number }

/**
 * Delivers events one after another, each until the receiver responds with 2xx. The position is saved after each one, so
 * that a crash repeats at most one event.
 */
export async function deliverEvents(saved: Subscription, options: DeliveryOptions): Promise<void> {
  const turn: Turn = { options, saved, current: saved, end: performance.now() + TURN_MILLISECONDS }
  const { events } = options.store
  while (mayGoOn(turn)) {
    const { cursor, filter } = turn.current
    const page = await events.list({ after: cursor.sequence, limit: PAGE, ...logFilterOf(filter) })
    if (!isInLog(cursor, page.log)) {
      if (await save(turn, restart(turn.current, page.log, options.now()))) continue
      return
    }
    for (const event of page.events)
      if (matchesScore(filter, event) && !(await deliver(turn, event, page.log))) return
    const next = { ...turn.current, cursor: { ...cursor, sequence: page.end } }
    // The filter left out the last events of the page.
    if (page.end > turn.saved.cursor.sequence && !(await save(turn, next))) return
    if (page.end >= page.log.last) return
  }
}

const mayGoOn = ({ options, end }: Turn) =>
  options.mayDeliver() && !options.signal.aborted && performance.now() < end

/** Returns false if a client paused, changed or removed the subscription meanwhile: the turn ends. */
async function save(turn: Turn, next: Subscription): Promise<boolean> {
  const isActive = await turn.options.store.subscriptions.save(turn.saved, next)
  turn.saved = next
  turn.current = next
  return isActive
}

/** Tries until the receiver accepts the event. Returns false if the turn ends. */
async function deliver(turn: Turn, event: LogEvent, log: EventLog): Promise<boolean> {
  const { options } = turn
  const { signal, now } = options
  const wire = presentEvent(event, { log: log.name, source: options.source })
  const message = { id: wire.id, body: JSON.stringify(wire) }
  while (mayGoOn(turn)) {
    const { url, keys, cursor } = turn.current
    const reply = await send(url, signMessage(message, keys, now()), message.body, options)
    if ('status' in reply && reply.status >= 200 && reply.status < 300) {
      options.onAttempt('delivered')
      return save(turn, {
        ...turn.current,
        ...NO_FAILURES,
        cursor: { ...cursor, sequence: event.sequence },
        lastDeliveredAt: now(),
        // Subscriptions that wait come first in the next turn.
        nextAttemptAt: now(),
      })
    }
    // The attempt was ended by this node, so it is no failure of the receiver.
    if (signal.aborted) return false
    options.onAttempt('failed')
    turn.current = toFailed(turn.current, reply, now())
    const wait = turn.current.nextAttemptAt - now()
    if (turn.current.state !== 'active' || wait > SHORT_WAIT_MILLISECONDS) break
    await pause(Math.max(wait, 0), signal)
  }
  if (turn.current.failures > 0) await save(turn, turn.current)
  return false
}

function toFailed(subscription: Subscription, reply: Reply, now: number): Subscription {
  const failingSince = subscription.failingSince ?? now
  const failures = subscription.failures + 1
  const isGone = 'status' in reply && reply.status === 410
  return {
    ...subscription,
    state: isGone ? 'disabled' : now - failingSince >= GIVE_UP_MILLISECONDS ? 'failed' : 'active',
    failures,
    failingSince,
    nextAttemptAt: now + Math.ceil(retryWait(failures)),
    lastError: 'error' in reply ? reply.error : `The receiver responded ${reply.status}.`,
  }
}

/** The log was replaced (a restored backup) or pruned: delivery continues with its oldest event. */
function restart(subscription: Subscription, { name, first }: EventLog, now: number): Subscription {
  const lost = formatEventCursor(subscription.cursor)
  const cursor = { log: name, sequence: first - 1 }
  const notice = `The events after ${lost} are no longer in the log. On ${presentTime(now)} delivery continued after ${formatEventCursor(cursor)}, with the oldest event.`
  return { ...subscription, cursor, notice }
}
