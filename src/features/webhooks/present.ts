import { isoTime } from '../../core/basics/text/instant.ts'
import type { EventLog } from '../../core/history/event.ts'
import { formatEventCursor } from '../../core/history/event-cursor.ts'
import { presentTime } from '../../core/history/present-event.ts'
import type { WireSubscription } from './schemas.ts'
import type { Subscription } from './subscription.ts'

/** Leaves out the secrets. */
export function presentSubscription(subscription: Subscription, log: EventLog): WireSubscription {
  const { id, url, filter, state, cursor, failures, lastError, notice, keys } = subscription
  return {
    id,
    url,
    types: filter.types ? [...filter.types] : null,
    passport: filter.passport ?? null,
    score: filter.score ?? null,
    state,
    cursor: formatEventCursor(cursor),
    lag: Math.max(0, log.last - (cursor.log === log.name ? cursor.sequence : log.first - 1)),
    failures,
    last_error: lastError || null,
    notice: notice || null,
    next_attempt_at: failures > 0 && state === 'active' ? presentTime(subscription.nextAttemptAt) : null,
    last_delivered_at: isoTime(subscription.lastDeliveredAt ?? undefined),
    created_at: presentTime(subscription.createdAt),
    public_key: keys[0]?.publicKey ?? '',
  }
}
