import { createHistogram, createMetrics } from '../api/metrics.ts'
import { addUp, type Family } from '../api/prometheus.ts'

const SAMPLE_MILLISECONDS = 100

/** Seconds. */
const DELAY_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** What a server thread counts: requests, and how late its event loop is. */
export function createThreadMetrics() {
  const metrics = createMetrics()
  const delays = createHistogram(DELAY_BOUNDS)
  let last = performance.now()
  setInterval(() => {
    const time = performance.now()
    delays.observe(Math.max(0, time - last - SAMPLE_MILLISECONDS) / 1000)
    last = time
  }, SAMPLE_MILLISECONDS).unref()

  return {
    metrics,
    read: (): Family[] => [
      ...metrics.read(),
      {
        name: 'passportd_event_loop_delay_seconds',
        help: 'How late the event loop of a server thread is, sampled ten times a second.',
        type: 'histogram',
        samples: [{ labels: {}, ...delays.read() }],
      },
    ],
  }
}

/** The sums over all threads. Counts of a thread that has ended stay: no counter ever goes back. */
export function createMetricSums() {
  const running = new Map<unknown, readonly Family[]>()
  let ended: Family[] = []
  return {
    set: (thread: unknown, families: readonly Family[]) => void running.set(thread, families),
    end(thread: unknown): void {
      ended = addUp([], addUp([running.get(thread) ?? []], ended))
      running.delete(thread)
    },
    read: (): Family[] => addUp([...running.values()], ended),
  }
}
