import { setTimeout as sleep } from 'node:timers/promises'
import { deleteOld, type Job } from '../../core/basics/jobs.ts'
import type { Log } from '../../core/basics/log.ts'
import { count } from '../../core/basics/text/counts-and-sizes.ts'
import { dayOf } from '../../core/basics/text/instant.ts'
import type { RequestCounter } from '../../core/http/request-counter.ts'
import type { Store } from '../../core/store/store.ts'
import type { UseOfServer, UseOfWriter } from '../../feature.ts'
import { USAGE } from './usage-statements.ts'

/** A crash loses at most the counts of this time. */
const INTERVAL_MILLISECONDS = 10_000

/** During a shutdown, storing the usage counts is retried for this long, with this pause. */
const LAST_ATTEMPTS_MILLISECONDS = 5000
const PAUSE_MILLISECONDS = 500

/** Reads the monthly sums again, if a tier has a monthly quota. */
const readMonth = (store: Store, counter: RequestCounter): Job => ({
  name: 'Monthly quotas are outdated',
  interval: INTERVAL_MILLISECONDS,
  async run() {
    const day = dayOf(Date.now())
    counter.setMonth(await store.data(USAGE).sumMonth(day), day)
  },
})

export const createServerJobs = ({ store, counter, log, config }: UseOfServer): Job[] => [
  storeUsage(store, counter, log),
  ...(config.tiers.some(({ monthly }) => monthly !== undefined) ? [readMonth(store, counter)] : []),
]

export const createWriterJobs = ({ config: { usageDays }, store, signal }: UseOfWriter): Job[] =>
  usageDays === undefined
    ? []
    : [
        deleteOld('usage counts', usageDays, signal, (before) =>
          store.data(USAGE).removeOldest(dayOf(before)),
        ),
      ]

/** Stores usage counts. While the store is unavailable, they stay in memory. */
const storeUsage = (store: Store, usage: RequestCounter, log: Log): Job => ({
  name: 'Usage counts cannot be stored yet',
  interval: INTERVAL_MILLISECONDS,
  async run() {
    const report = usage.take()
    if (report.counts.length === 0) return
    try {
      await store.data(USAGE).add(report.counts, report.lastUsed, report.inBrowser)
    } catch (error) {
      usage.putBack(report)
      throw error
    }
  },
  async end(attempt) {
    const deadline = performance.now() + LAST_ATTEMPTS_MILLISECONDS
    await attempt()
    while (usage.size() > 0 && performance.now() < deadline) {
      await sleep(PAUSE_MILLISECONDS)
      await attempt()
    }
    if (usage.size() > 0) log.error(`The usage counts of ${count(usage.size(), 'request')} are lost.`)
  },
})
