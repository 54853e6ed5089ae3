import type { UsageReport } from '../api/usage.ts'
import { count } from '../domain/format.ts'
import type { Log } from '../log.ts'
import type { ScorerMessage, ScorerOrder } from './scorer-worker.ts'

/** Works off stale passports in a thread of its own, so that requests never wait for a write. */
export function startScorer(order: ScorerOrder, log: Log) {
  const worker = new Worker(new URL('./scorer-worker.ts', import.meta.url))
  const ended = Promise.withResolvers<void>()
  worker.addEventListener('message', ({ data }: MessageEvent<ScorerMessage>) => {
    if (data.kind === 'ended') ended.resolve()
    if (data.kind === 'failed') log.error(`Scoring failed: ${data.reason}`)
    if (data.kind === 'unkept') log.error(`Counts of usage wait to be kept: ${data.reason}`)
    if (data.kind === 'lost') log.error(`The counts of ${count(data.requests, 'request')} are lost.`)
    if (data.kind === 'waits')
      log.warn('Another rule set is in force: stale passports are left to its scorers.')
  })
  worker.addEventListener('error', ({ message }) => {
    log.error(`The scorer ended: ${message}`)
    ended.resolve()
  })
  worker.postMessage(order)
  return {
    /** Counts are kept by the same thread: a request never waits for a write. */
    keepUsage: (report: UsageReport) => worker.postMessage(report),
    /** Lets it finish the passports it is at. */
    async stop(): Promise<void> {
      worker.postMessage('stop')
      await ended.promise
      worker.terminate()
    },
  }
}
