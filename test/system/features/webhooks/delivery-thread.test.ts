import { expect, test } from 'bun:test'
import { makeKey } from '../../../support/http/keys.ts'
import { scrape } from '../../../support/http/prometheus.ts'
import { receiveWebhooks, stateOf } from '../../../support/http/webhook-receiver.ts'
import { saveRecords } from '../../../support/store/engines.ts'
import { record } from '../../../support/store/records.ts'
import { until } from '../../../support/wait-until.ts'
import { startTestService } from '../../support/service.ts'

test('the service delivers to a subscription that was created over HTTP, also after its delivery thread died, and counts deliveries', async () => {
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true', METRICS_PORT: '0' }
  await using service = await startTestService({ env })
  await using receiver = receiveWebhooks()
  const { key } = await makeKey(service.store, 1)
  const call = (method: string, path: string, body?: object) =>
    fetch(new URL(`/api/v3/subscriptions${path}`, service.url), {
      method,
      headers: { 'X-API-KEY': key, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  const made = await call('POST', '', { url: receiver.url, types: ['passport.added'] })
  const subscription = await made.json()
  expect([made.status, subscription.state]).toEqual([201, 'active'])
  await saveRecords(service.store, [record(7001)])
  await until(() => receiver.received.length === 1)
  // If the thread died before it saved the position, the event would be repeated.
  await until(async () => (await stateOf(service.store, subscription)).lastDeliveredAt !== null)
  service.threads.at(-1)?.terminate()
  await saveRecords(service.store, [record(7002)])
  await until(() => receiver.received.length === 2)
  expect(receiver.received.map(({ event }) => event.subject)).toEqual(['7001', '7002'])
  const value = async (series: string) =>
    (await scrape({ metricsUrl: service.metricsUrl as string })).value(`passportd_webhook_${series}`)
  // A thread that dies may lose counts of its last second.
  await until(async () => ((await value('deliveries_total{result="delivered"}')) ?? 0) >= 1)
  expect(await value('deliveries_total{result="failed"}')).toBe(0)
  expect(await value('subscriptions{state="active"}')).toBe(1)
  expect(await value('lag_events')).toBe(0)
  expect((await (await call('PATCH', `/${subscription.id}`, { state: 'paused' })).json()).state).toBe(
    'paused',
  )
  expect((await call('DELETE', `/${subscription.id}`)).status).toBe(200)
  expect((await call('POST', '/sub_unknown/rotate')).status).toBe(404)
})
