import { type ErrorLog, supervise } from '../../core/basics/jobs.ts'
import type { Config } from '../../core/config/config.ts'
import { counter } from '../../core/http/prometheus-text.ts'
import { type Damage, noteDamage } from '../../core/store/damage.ts'
import { openStore, SERVE_TIMEOUT } from '../../core/store/open.ts'
import { threadLog as log, postToMain, type ToThread } from '../../core/threads/messages.ts'
import { createDeliveryLoop } from './delivery-loop.ts'
import { LEASES, SUBSCRIPTIONS } from './statements.ts'

/** How often the thread looks for new events. */
const INTERVAL_MILLISECONDS = 500

declare const self: Worker

const stop = new AbortController()

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === 'start') void runDeliveryThread(data.config, data.damage)
  else if (data.kind === 'stop') stop.abort()
}

/**
 * Delivers webhooks. They have their own thread, so that scoring does not delay them, and signing does not delay
 * requests.
 */
async function runDeliveryThread(
  { database, publicUrl = '', webhookAllowPrivate }: Config,
  damage: Damage,
): Promise<void> {
  const store = await openStore(database, { ...SERVE_TIMEOUT, migrate: false })
  const attempts = { delivered: 0, failed: 0 }
  const loop = createDeliveryLoop({
    store: { events: store.events, subscriptions: store.data(SUBSCRIPTIONS), leases: store.data(LEASES) },
    source: `${publicUrl}/api/v3`,
    allowPrivate: webhookAllowPrivate,
    onAttempt: (result) => void attempts[result]++,
  })
  const job = {
    name: 'Webhooks cannot be delivered',
    interval: INTERVAL_MILLISECONDS,
    async run(errors: ErrorLog) {
      await loop.run(errors)
      sendMetrics(attempts)
    },
    end: loop.end,
  }
  await supervise([job], { log, signal: stop.signal, onError: (error) => noteDamage(damage, error) })
  await store.database.close()
  postToMain({ kind: 'stopped' })
}

function sendMetrics(attempts: Readonly<Record<string, number>>): void {
  const help = 'Attempts to deliver an event to a webhook, by result: delivered or failed.'
  const samples = Object.entries(attempts).map(([result, value]) => ({ labels: { result }, value }))
  postToMain({ kind: 'metrics', families: [counter('passportd_webhook_deliveries_total', help, samples)] })
}
