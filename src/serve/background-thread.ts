import { setTimeout as sleep } from 'node:timers/promises'
import { buildSnapshot, type Snapshot, updateSnapshot } from '../catalog/snapshot.ts'
import type { Config } from '../config.ts'
import { count } from '../domain/text/format.ts'
import { dayOf } from '../domain/usage.ts'
import { loadRules } from '../scoring/load-rules.ts'
import { adoptRules, keepRescoring, type Rescorer } from '../scoring/rescore.ts'
import { openStore, SERVE_TIMEOUT } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { createThreadLog, type FromBackground, type ToBackground } from './messages.ts'
import { createUsageBuffer } from './usage-buffer.ts'

/** How often the ranking looks for changes. After one it pauses for as long as it took, times the factor. */
const SNAPSHOT_MILLISECONDS = 100
const LONGEST_SNAPSHOT_PAUSE = 1000
const SNAPSHOT_PAUSE_FACTOR = 4

/** A server thread may read in a transaction that began before the change, and would cache pages of old rows. */
const READ_TRANSACTION_MILLISECONDS = 10

const USAGE_MILLISECONDS = 500
/** How long counts that cannot be stored delay the end. */
const LAST_TRIES_MILLISECONDS = 5000
/** How far behind a monthly quota may be. */
const MONTH_MILLISECONDS = 10_000
const AFTER_FAILURE_MILLISECONDS = 5000

declare const self: Worker

const send = (message: FromBackground) => postMessage(message)
const log = createThreadLog(send)
const stop = new AbortController()
const mayScore = Promise.withResolvers<void>()
const usage = createUsageBuffer()

self.onmessage = ({ data }: MessageEvent<ToBackground>) => {
  if (data.kind === 'start') void run(data.config)
  else if (data.kind === 'score') mayScore.resolve()
  else if (data.kind === 'usage') usage.push(data)
  else {
    stop.abort()
    mayScore.resolve()
  }
}

/** Writes and long reads, so that requests never wait for them: scores, counts of usage, the ranking. */
async function run(config: Config): Promise<void> {
  const store = await openStore(config.database, { ...SERVE_TIMEOUT, migrate: false })
  const jobs = [keepSnapshot(store), keepUsage(store), keepScores(store, config.rules)]
  if (config.tiers.some(({ monthly }) => monthly !== undefined)) jobs.push(keepMonth(store))
  // Each goes on to its own end.
  await Promise.allSettled(jobs)
  await store.close()
  send({ kind: 'stopped' })
}

const pause = (milliseconds: number) =>
  // An abort ends the pause.
  sleep(milliseconds, undefined, { signal: stop.signal }).catch(() => undefined)

/** Runs a job until the service stops. A failure is logged when it begins, not each time it is repeated. */
async function repeat(failing: string, job: () => Promise<void>, pauseAfter: (took: number) => number) {
  const attempt = logFailures(failing, job)
  while (!stop.signal.aborted) {
    const begin = performance.now()
    await attempt()
    await pause(pauseAfter(performance.now() - begin))
  }
}

function logFailures(failing: string, job: () => Promise<void>) {
  let last = ''
  return async (): Promise<void> => {
    try {
      await job()
      last = ''
    } catch (error) {
      const { message } = error as Error
      if (message !== last) log.error(`${failing}: ${message}`)
      last = message
    }
  }
}

function keepSnapshot({ listing }: Store): Promise<void> {
  let snapshot: Snapshot | undefined
  async function update(): Promise<void> {
    const next = snapshot ? await updateSnapshot(snapshot, listing) : await buildSnapshot(listing)
    if (next !== snapshot) {
      await pause(READ_TRANSACTION_MILLISECONDS)
      send({ kind: 'snapshot', snapshot: next })
    }
    snapshot = next
  }
  return repeat('The ranking is not up to date', update, (took) =>
    Math.min(Math.max(SNAPSHOT_MILLISECONDS, took * SNAPSHOT_PAUSE_FACTOR), LONGEST_SNAPSHOT_PAUSE),
  )
}

function keepMonth({ usage: stored }: Store): Promise<void> {
  async function update(): Promise<void> {
    const day = dayOf(Date.now())
    const sums = new Map(await stored.sumByKey({ since: `${day.slice(0, 8)}01`, until: day }))
    send({ kind: 'month', day, sums })
  }
  return repeat('Monthly quotas are not up to date', update, () => MONTH_MILLISECONDS)
}

/** Stores counts as they come. While the store is unavailable they wait. */
async function keepUsage(store: Store): Promise<void> {
  const attempt = logFailures('Usage counts wait to be stored', () => usage.store(store))
  let lastTry = Number.POSITIVE_INFINITY
  for (;;) {
    // Read first: counts that came before the order to stop are stored below.
    const isEnding = stop.signal.aborted
    if (isEnding) lastTry = Math.min(lastTry, performance.now() + LAST_TRIES_MILLISECONDS)
    await attempt()
    if (isEnding && (usage.size() === 0 || performance.now() >= lastTry)) break
    await (isEnding ? sleep(USAGE_MILLISECONDS) : pause(USAGE_MILLISECONDS))
  }
  if (usage.size() > 0) log.error(`The usage counts of ${count(usage.size(), 'request')} are lost.`)
}

async function keepScores(store: Store, path: string | undefined): Promise<void> {
  await mayScore.promise
  const onFailure = (id: number, error: unknown) =>
    log.error(`Scoring failed: passport ${id}: ${(error as Error).message}`)
  const onWaits = () => log.warn('Another rule set is in force: stale passports are left to its scorers.')
  let scorer: Rescorer | undefined
  while (!stop.signal.aborted) {
    try {
      // Rules are adopted once: after a failure, another node may have put newer ones in force.
      scorer ??= await adopt({ store, rules: await loadRules(path), now: Date.now, onFailure })
      await keepRescoring(scorer, stop.signal, onWaits)
    } catch (error) {
      log.error(`Scoring failed: ${(error as Error).message}`)
      await pause(AFTER_FAILURE_MILLISECONDS)
    }
  }
}

async function adopt(scorer: Rescorer): Promise<Rescorer> {
  await adoptRules(scorer)
  return scorer
}
