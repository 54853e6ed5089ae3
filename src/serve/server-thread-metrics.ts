import { createHistogram, type Family, gauge } from '../core/http/prometheus-text.ts'

const SAMPLE_MILLISECONDS = 100

/** Bucket bounds in seconds. */
const DELAY_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Measures the event-loop delay of a server thread. */
export function createThreadMetrics() {
  const delays = createHistogram(DELAY_BOUNDS)
  let last = performance.now()
  setInterval(() => {
    const time = performance.now()
    delays.observe(Math.max(0, time - last - SAMPLE_MILLISECONDS) / 1000)
    last = time
  }, SAMPLE_MILLISECONDS).unref()

  return {
    read: (counted: readonly Family[], requestsInProgress: number, openStreams: number): Family[] => [
      ...counted,
      gauge('passportd_requests_in_progress', 'Requests without a response yet.', requestsInProgress),
      gauge('passportd_event_streams', 'Open event streams.', openStreams),
      {
        name: 'passportd_event_loop_delay_seconds',
        help: 'Event-loop delay of the server threads, sampled ten times a second.',
        type: 'histogram',
        samples: [{ labels: {}, ...delays.read() }],
      },
    ],
  }
}
