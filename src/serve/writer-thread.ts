import type { Config } from '../config/config.ts'
import { openStore, SERVE_TIMEOUT } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { type Damage, noteDamage } from './damage.ts'
import { checkFiles } from './jobs/check-files.ts'
import { checkSchema } from './jobs/check-schema.ts'
import { logRetirement } from './jobs/log-retirement.ts'
import { pruneEvents } from './jobs/prune-events.ts'
import { removeOldUsage } from './jobs/remove-old-usage.ts'
import { createUsageBuffer, storeUsage } from './jobs/store-usage.ts'
import { type Job, supervise } from './jobs/supervise.ts'
import { updateQuotas } from './jobs/update-quotas.ts'
import { updateScores } from './jobs/update-scores.ts'
import { updateSnapshots } from './jobs/update-snapshots.ts'
import { threadLog as log, send, type ToThread } from './messages.ts'
import { createWriteQueue } from './write-queue.ts'

declare const self: Worker

const stop = new AbortController()
const mayScore = Promise.withResolvers<void>()
const usage = createUsageBuffer()
const writes = createWriteQueue(({ report }) => usage.push(report))

self.onmessage = ({ data }: MessageEvent<ToThread>) => {
  if (data.kind === 'start') void run(data.config, data.damage)
  else if (data.kind === 'started') mayScore.resolve()
  else if (data.kind === 'connect') writes.connect(data.port)
  else if (data.kind === 'stop') {
    stop.abort()
    mayScore.resolve()
  }
}

/** Runs writes and long reads outside of the server threads. */
async function run(config: Config, damage: Damage): Promise<void> {
  const store = await openStore(config.database, { ...SERVE_TIMEOUT, migrate: false })
  const onError = (error: unknown) => noteDamage(damage, error)
  await supervise(createJobs(config, store, onError), { log, signal: stop.signal, onError })
  await store.close()
  send({ kind: 'stopped' })
}

function createJobs(config: Config, store: Store, onError: (error: unknown) => void): Job[] {
  const { database, tiers, usageDays, historyDays = Number.POSITIVE_INFINITY } = config
  const { signal } = stop
  const scoring = new AbortController()
  const scoringEnd = AbortSignal.any([signal, scoring.signal])
  const jobs = [
    updateSnapshots(store, {
      onSnapshot: (snapshot) => send({ kind: 'snapshot', snapshot }),
      onChecked: () => send({ kind: 'checked' }),
      signal,
    }),
    storeUsage(store, usage, log),
    updateScores(store, { log, onError, mayScore: mayScore.promise, signal: scoringEnd }),
    checkSchema(store, log, scoring),
    logRetirement(store, log),
  ]
  if (database.engine === 'sqlite') jobs.push(checkFiles(store))
  if (tiers.some(({ monthly }) => monthly !== undefined))
    jobs.push(updateQuotas(store, (day, sums) => send({ kind: 'month', day, sums })))
  if (usageDays !== undefined) jobs.push(removeOldUsage(store, usageDays, signal))
  if (Number.isFinite(historyDays)) jobs.push(pruneEvents(store, historyDays, signal))
  return jobs
}
