import type { UsageReport } from '../api/usage.ts'
import type { Config } from '../config/config.ts'
import { dayOf } from '../domain/usage.ts'
import { openStore, SERVE_TIMEOUT } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { createQueue, receiveCalls } from '../thread-calls.ts'
import { type Damage, noteDamage } from './damage.ts'
import { checkSchema } from './jobs/check-schema.ts'
import { deleteOld } from './jobs/delete-old.ts'
import { logRetirement } from './jobs/log-retirement.ts'
import { createUsageBuffer, storeUsage } from './jobs/store-usage.ts'
import { type Job, supervise } from './jobs/supervise.ts'
import { updateScores } from './jobs/update-scores.ts'
import { updateSnapshots } from './jobs/update-snapshots.ts'
import { threadLog as log, send, type ToThread } from './messages.ts'

declare const self: Worker

const stop = new AbortController()
const mayScore = Promise.withResolvers<void>()
const usage = createUsageBuffer()
const enqueue = createQueue<UsageReport, void>(usage.push)

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === 'start') void run(data.config, data.damage)
  else if (data.kind === 'started') mayScore.resolve()
  else if (data.kind === 'connect') receiveCalls(data.port, enqueue)
  else if (data.kind === 'stop') {
    stop.abort()
    mayScore.resolve()
  }
}

/** Runs writes and long reads outside of the server threads. */
async function run(config: Config, damage: Damage): Promise<void> {
  const store = await openStore(config.database, { ...SERVE_TIMEOUT, migrate: false })
  const onError = (error: unknown) => noteDamage(damage, error)
  await supervise(createJobs(config, store), { log, signal: stop.signal, onError })
  await store.close()
  send({ kind: 'stopped' })
}

function createJobs(config: Config, store: Store): Job[] {
  const { database, tiers, usageDays, historyDays = Number.POSITIVE_INFINITY } = config
  const { signal } = stop
  const scoring = new AbortController()
  const scoringEnd = AbortSignal.any([signal, scoring.signal])
  const jobs: Job[] = [
    updateSnapshots(store, {
      onSnapshot: (snapshot) => send({ kind: 'snapshot', snapshot }),
      onChecked: () => send({ kind: 'checked' }),
      signal,
    }),
    storeUsage(store, usage, log),
    updateScores(store, { log, mayScore: mayScore.promise, signal: scoringEnd }),
    checkSchema(store, log, scoring),
    logRetirement(store, log),
  ]
  // Notices that the database was deleted, replaced or damaged, even if nothing is written.
  if (database.engine === 'sqlite')
    jobs.push({
      name: 'The database files cannot be used',
      interval: 1000,
      run: async () => void (await store.ping()),
    })
  if (tiers.some(({ monthly }) => monthly !== undefined))
    jobs.push({ name: 'Monthly quotas are outdated', interval: 10_000, run: () => sendMonth(store) })
  if (usageDays !== undefined) {
    const remove = (before: number) => store.usage.removeOldest(dayOf(before))
    jobs.push(deleteOld({ what: 'usage counts', days: usageDays, signal, remove }))
  }
  if (Number.isFinite(historyDays)) {
    const remove = async (before: number) => (await store.events.prune(before)) > 0
    jobs.push(deleteOld({ what: 'events', days: historyDays, signal, remove }))
  }
  return jobs
}

async function sendMonth({ usage }: Store): Promise<void> {
  const day = dayOf(Date.now())
  const sums = await usage.sumByKey({ since: `${day.slice(0, 8)}01`, until: day })
  send({ kind: 'month', day, sums: new Map(sums) })
}
