import { createMetrics } from '../api/metrics.ts'
import type { Family } from '../api/prometheus.ts'
import { watchProcess } from './process-metrics.ts'

/** All that one process can tell of itself. */
export function createMeter() {
  const metrics = createMetrics()
  const process = watchProcess()
  return {
    metrics,
    read: (): Family[] => [...metrics.read(), ...process.read()],
    stop: process.stop,
  }
}
