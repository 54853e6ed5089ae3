import { createHistogram } from '../api/metrics.ts'
import type { Family } from '../api/prometheus.ts'

/** How often it is looked whether the process comes to its work in time. */
const LOOK_MILLISECONDS = 100

const DELAY_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** What this process uses, and how late it comes to its work. */
export function watchProcess(): { read(): Family[]; stop(): void } {
  const delays = createHistogram(DELAY_BOUNDS)
  let last = performance.now()
  const look = setInterval(() => {
    const time = performance.now()
    delays.observe(Math.max(0, time - last - LOOK_MILLISECONDS) / 1000)
    last = time
  }, LOOK_MILLISECONDS)
  look.unref()

  return {
    read: () => {
      const { user, system } = process.cpuUsage()
      return [
        gauge('process_resident_memory_bytes', 'Memory of all processes.', process.memoryUsage.rss()),
        {
          name: 'process_cpu_seconds_total',
          help: 'Processor time of all processes.',
          type: 'counter',
          samples: [{ labels: {}, value: (user + system) / 1_000_000 }],
        },
        {
          name: 'passportd_event_loop_delay_seconds',
          help: 'How late a process came to work that was due, looked at ten times a second.',
          type: 'histogram',
          samples: [{ labels: {}, ...delays.read() }],
        },
      ]
    },
    stop: () => clearInterval(look),
  }
}

export const gauge = (
  name: string,
  help: string,
  value: number,
  labels: Readonly<Record<string, string>> = {},
): Family => ({ name, help, type: 'gauge', samples: [{ labels, value }] })
