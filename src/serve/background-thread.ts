import { setTimeout as sleep } from 'node:timers/promises'
import { buildSnapshot, type Snapshot, updateSnapshot } from '../catalog/snapshot.ts'
import type { Config } from '../config/config.ts'
import { describeError } from '../domain/errors.ts'
import { NO_PLAN } from '../domain/retirement.ts'
import { count } from '../domain/text/format.ts'
import { dayOf } from '../domain/usage.ts'
import { findRules } from '../scoring/active-rules.ts'
import { adoptRules, keepRescoring, type Rescorer } from '../scoring/rescore.ts'
import { openStore, SERVE_TIMEOUT } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { createDamage, noteDamage } from './damage.ts'
import { createErrorLog } from './error-log.ts'
import { createThreadLog, type FromBackground, type ToBackground } from './messages.ts'
import { createRetirementLog } from './retirement-log.ts'
import { createUsageBuffer } from './usage-buffer.ts'

/** Interval of snapshot updates. After an update the pause is its duration times the factor, up to the maximum. */
const SNAPSHOT_MILLISECONDS = 100
const MAX_SNAPSHOT_PAUSE = 1000
const SNAPSHOT_PAUSE_FACTOR = 4

/** A server thread may still read in a transaction that began before the change, and would cache old rows. */
const READ_TRANSACTION_MILLISECONDS = 10

const USAGE_MILLISECONDS = 500
/** How long usage counts that cannot be stored delay a shutdown. */
const LAST_ATTEMPTS_MILLISECONDS = 5000
const MONTH_MILLISECONDS = 10_000
/** Interval of the removal of old usage counts and events. */
const REMOVAL_MILLISECONDS = 3_600_000
const DAY_MILLISECONDS = 86_400_000
const AFTER_FAILURE_MILLISECONDS = 5000
/** Interval of checks whether a newer version has migrated the database. */
const SCHEMA_MILLISECONDS = 1000
const PLAN_MILLISECONDS = 1000
const FILES_MILLISECONDS = 1000

/** A failure that repeats for hours is logged at its begin, and then with a count. */
const FAILURE_LOG_MILLISECONDS = 60_000

declare const self: Worker

const send = (message: FromBackground) => postMessage(message)
const log = createThreadLog(send)
const failures = createErrorLog(log, FAILURE_LOG_MILLISECONDS)
const stop = new AbortController()
const stopScoring = new AbortController()
const mayScore = Promise.withResolvers<void>()
const usage = createUsageBuffer()
let damage = createDamage()

self.onmessage = ({ data }: MessageEvent<ToBackground>) => {
  if (data.kind === 'start') {
    damage = data.damage
    void run(data.config)
  } else if (data.kind === 'score') mayScore.resolve()
  else if (data.kind === 'usage') usage.push(data)
  else {
    stop.abort()
    mayScore.resolve()
  }
}

/** Runs writes and long reads outside of the server threads: scores, usage counts, the snapshot. */
async function run(config: Config): Promise<void> {
  const store = await openStore(config.database, { ...SERVE_TIMEOUT, migrate: false })
  const jobs = [
    updateSnapshots(store),
    storeUsage(store),
    updateScores(store),
    watchSchema(store),
    logRetirement(store),
  ]
  if (config.database.engine === 'sqlite') jobs.push(watchFiles(store))
  if (config.tiers.some(({ monthly }) => monthly !== undefined)) jobs.push(updateQuotas(store))
  if (config.usageDays !== undefined) jobs.push(removeOldUsage(store, config.usageDays))
  const { historyDays = Number.POSITIVE_INFINITY } = config
  if (Number.isFinite(historyDays)) jobs.push(pruneEvents(store, historyDays))
  // One failed job must not end the others.
  const logEnd = (error: unknown) => log.error(`A background job ended: ${describeError(error)}`)
  await Promise.all(jobs.map((job) => job.catch(logEnd)))
  await store.close()
  failures.end()
  send({ kind: 'stopped' })
}

const pause = (milliseconds: number) =>
  // An abort ends the pause early.
  sleep(milliseconds, undefined, { signal: stop.signal }).catch(() => undefined)

/** Runs a job until the service stops. A failure is logged once, and its repetitions are counted when it ends. */
async function repeat(failing: string, job: () => Promise<void>, pauseAfter: (took: number) => number) {
  const attempt = logFailures(failing, job)
  while (!stop.signal.aborted) {
    const begin = performance.now()
    await attempt()
    await pause(pauseAfter(performance.now() - begin))
  }
}

/** Messages that alternate during one failure are logged at most once a minute. */
function logFailures(failing: string, job: () => Promise<void>) {
  let last = ''
  let loggedAt = Number.NEGATIVE_INFINITY
  let attempts = 0
  return async (): Promise<void> => {
    try {
      await job()
      if (attempts > 0) log.info(`No longer: ${failing}.`, { failed_attempts: attempts })
      last = ''
      loggedAt = Number.NEGATIVE_INFINITY
      attempts = 0
    } catch (error) {
      noteDamage(damage, error)
      attempts++
      const text = describeError(error)
      if (text === last || performance.now() - loggedAt < FAILURE_LOG_MILLISECONDS) return
      log.error(`${failing}: ${text}`)
      last = text
      loggedAt = performance.now()
    }
  }
}

function updateSnapshots({ listing }: Store): Promise<void> {
  let snapshot: Snapshot | undefined
  async function update(): Promise<void> {
    const next = snapshot ? await updateSnapshot(snapshot, listing) : await buildSnapshot(listing)
    if (next !== snapshot) {
      await pause(READ_TRANSACTION_MILLISECONDS)
      send({ kind: 'snapshot', snapshot: next })
    }
    snapshot = next
    send({ kind: 'checked' })
  }
  return repeat('The ranking is outdated', update, (took) =>
    Math.min(Math.max(SNAPSHOT_MILLISECONDS, took * SNAPSHOT_PAUSE_FACTOR), MAX_SNAPSHOT_PAUSE),
  )
}

function updateQuotas({ usage: stored }: Store): Promise<void> {
  async function update(): Promise<void> {
    const day = dayOf(Date.now())
    const sums = new Map(await stored.sumByKey({ since: `${day.slice(0, 8)}01`, until: day }))
    send({ kind: 'month', day, sums })
  }
  return repeat('Monthly quotas are outdated', update, () => MONTH_MILLISECONDS)
}

/** One day at a time: a long delete would delay other writes. */
function removeOldUsage({ usage: stored }: Store, days: number): Promise<void> {
  async function remove(): Promise<void> {
    const before = dayOf(Date.now() - days * DAY_MILLISECONDS)
    while (!stop.signal.aborted && (await stored.removeOldest(before))) await pause(0)
  }
  return repeat('Old usage counts cannot be deleted', remove, () => REMOVAL_MILLISECONDS)
}

function pruneEvents({ events }: Store, days: number): Promise<void> {
  async function prune(): Promise<void> {
    const before = Date.now() - days * DAY_MILLISECONDS
    while (!stop.signal.aborted && (await events.prune(before)) > 0) await pause(0)
  }
  return repeat('Old events cannot be deleted', prune, () => REMOVAL_MILLISECONDS)
}

function logRetirement({ retirement }: Store): Promise<void> {
  const logPlan = createRetirementLog(log)
  const update = async () => logPlan((await retirement.find()) ?? NO_PLAN, Date.now())
  return repeat('The retirement plan cannot be read', update, () => PLAN_MILLISECONDS)
}

/** Stores usage counts. While the store is unavailable, they stay in the buffer. */
async function storeUsage(store: Store): Promise<void> {
  const attempt = logFailures('Usage counts cannot be stored yet', () => usage.store(store))
  let deadline = Number.POSITIVE_INFINITY
  for (;;) {
    // Read before the attempt, so that the last attempt includes all counts that arrived before the stop message.
    const isStopping = stop.signal.aborted
    if (isStopping) deadline = Math.min(deadline, performance.now() + LAST_ATTEMPTS_MILLISECONDS)
    await attempt()
    if (isStopping && (usage.size() === 0 || performance.now() >= deadline)) break
    await (isStopping ? sleep(USAGE_MILLISECONDS) : pause(USAGE_MILLISECONDS))
  }
  if (usage.size() > 0) log.error(`The usage counts of ${count(usage.size(), 'request')} are lost.`)
}

/** A newer version may store scores in another way: this node then serves and counts usage, but leaves scores to it. */
function watchSchema(store: Store): Promise<void> {
  async function check(): Promise<void> {
    const schema = await store.newerSchema()
    if (schema === undefined || stopScoring.signal.aborted) return
    stopScoring.abort()
    log.warn(
      `The database was migrated by a newer passportd (schema ${schema}): this node calculates no scores any more. Replace it by the newer version.`,
    )
  }
  return repeat('The schema of the database cannot be checked', check, () => SCHEMA_MILLISECONDS)
}

/** The database may be deleted, replaced or damaged while nothing is written. */
const watchFiles = (store: Store): Promise<void> =>
  repeat(
    'The database files cannot be used',
    async () => void (await store.ping()),
    () => FILES_MILLISECONDS,
  )

async function updateScores(store: Store): Promise<void> {
  await mayScore.promise
  const onFailure = (id: number, error: unknown) =>
    failures.error(`Scoring failed: passport ${id}: ${describeError(error)}`)
  const onOtherRules = () =>
    log.warn('Nodes of another version use another built-in rule set: only they score passports.')
  const scoringEnd = AbortSignal.any([stop.signal, stopScoring.signal])
  let scorer: Rescorer | undefined
  while (!scoringEnd.aborted) {
    try {
      // Rules are adopted once: after a failure, another node may have put newer rules in force.
      scorer ??= await adopt({ store, rules: await findRules(store), now: Date.now, onFailure })
      await keepRescoring(scorer, scoringEnd, onOtherRules)
    } catch (error) {
      noteDamage(damage, error)
      failures.error(`Scoring failed: ${describeError(error)}`)
      await pause(AFTER_FAILURE_MILLISECONDS)
    }
  }
}

async function adopt(scorer: Rescorer): Promise<Rescorer> {
  await adoptRules(scorer)
  return scorer
}
