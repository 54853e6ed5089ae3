import type { EventLog } from '../../core/history/event.ts'
import { type Family, gauge } from '../../core/http/prometheus-text.ts'
import type { Store } from '../../core/store/store.ts'
import { SUBSCRIPTIONS } from './statements.ts'

/** Nothing is reported while there are no subscriptions. */
export async function readSubscriptionMetrics({ data }: Store, log: EventLog): Promise<Family[]> {
  const counts = await data(SUBSCRIPTIONS).count(log, Date.now())
  if (counts.length === 0) return []
  const active = counts.filter(({ state }) => state === 'active')
  return [
    gauge(
      'passportd_webhook_subscriptions',
      'Subscriptions by state: active, paused, failed or disabled.',
      counts.map(({ state, count }) => ({ labels: { state }, value: count })),
    ),
    gauge(
      'passportd_webhook_lag_events',
      'Events after the position of the slowest active subscription.',
      Math.max(0, ...active.map(({ lag }) => lag)),
    ),
  ]
}
