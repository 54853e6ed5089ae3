import type { EventContent, EventType } from '../../core/history/event.ts'
import type { EventCursor } from '../../core/history/event-cursor.ts'
import type { SigningKey } from './signature.ts'

/** `failed`: nothing was delivered for three days. `disabled`: the receiver responded 410. */
export const SUBSCRIPTION_STATES = ['active', 'paused', 'failed', 'disabled'] as const

export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number]

/** An event must fulfil all conditions. */
export type SubscriptionFilter = {
  types?: readonly EventType[]
  passport?: number
  /** The score rises to `above` or higher, or falls to `below` or lower. */
  score?: { above?: number; below?: number }
}

/** A position in the event log with a URL. Events after `cursor` are still to be delivered. */
export type Subscription = {
  id: string
  /** The API key that owns the subscription. */
  keyId: string
  url: string
  filter: SubscriptionFilter
  /** Newest first. */
  keys: readonly SigningKey[]
  createdAt: number
  state: SubscriptionState
  cursor: EventCursor
  failures: number
  failingSince: number | null
  nextAttemptAt: number
  lastError: string
  /** Which events could not be delivered because the log no longer has them; empty if none. */
  notice: string
  lastDeliveredAt: number | null
}

/** No attempt has failed since the last delivery. */
export const NO_FAILURES = { failures: 0, failingSince: null, nextAttemptAt: 0, lastError: '' } as const

export const MOST_SUBSCRIPTIONS_OF_KEY = 10
export const MOST_SUBSCRIPTIONS = 1000

/** After a rotation, the old keys sign for this time, too. */
export const OLD_KEY_MILLISECONDS = 24 * 3_600_000

export const GIVE_UP_MILLISECONDS = 3 * 24 * 3_600_000

const FIRST_WAIT_MILLISECONDS = 10
const LONGEST_WAIT_MILLISECONDS = 3_600_000

/** Returns the wait after a failed attempt. `random`, from 0 to 1, spreads the retries of many subscriptions. */
export function retryWait(failures: number, random = Math.random()): number {
  const wait = Math.min(FIRST_WAIT_MILLISECONDS * 2 ** (failures - 1), LONGEST_WAIT_MILLISECONDS)
  return wait * (1 - random / 2)
}

/** The types that `score` can match. A passport that is added with a score reaches that score. */
const SCORE_TYPES: readonly EventType[] = ['passport.added', 'score.changed']

/** The part of the filter that the event log can apply. */
export function logFilterOf({ types, passport, score }: SubscriptionFilter) {
  const eventTypes = score ? SCORE_TYPES.filter((type) => types?.includes(type) ?? true) : types
  return { ...(eventTypes && { types: eventTypes }), ...(passport !== undefined && { passport }) }
}

/** The part of the filter that the event log cannot apply. */
export function matchesScore({ score }: SubscriptionFilter, event: EventContent): boolean {
  if (!score) return true
  const { above = Number.POSITIVE_INFINITY, below = Number.NEGATIVE_INFINITY } = score
  if (event.type === 'passport.added') return event.score >= above
  if (event.type !== 'score.changed') return false
  const [before, after] = event.change.score
  return (before < above && after >= above) || (before > below && after <= below)
}
