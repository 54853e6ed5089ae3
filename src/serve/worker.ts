import type { Family } from '../api/exposition.ts'
import type { UsageReport } from '../api/usage.ts'
import type { Config } from '../config.ts'
import { CommandError, ServiceError } from '../domain/errors.ts'
import type { Log } from '../log.ts'
import { loadRules } from '../scoring/load-rules.ts'
import { openStore } from '../store/open.ts'
import { openCounters } from './counting.ts'
import { listen, SERVING } from './listener.ts'
import { createMeter } from './meter.ts'
import { aborted, leaveSignalsToParent } from './signals.ts'

/** What a worker tells the process that started it. */
export type WorkerMessage =
  | { kind: 'listens' }
  /** Told again and again: one that is not heard of hangs. */
  | { kind: 'lives' }
  | { kind: 'failed'; reason: string }
  | { kind: 'metrics'; families: Family[] }
  /** All that it had to tell is told. */
  | { kind: 'drained' }
  | ({ kind: 'usage' } & UsageReport)

/** What the process that started it tells a worker. */
export type ParentMessage = 'end'

/** The first after standard input, output and error. */
const DOOR = 3

export const PULSE_MILLISECONDS = 500

/** How far behind the sums of the parent may be. */
const METRICS_MILLISECONDS = 1000

/** Serves beside others on one port, through the door that it was given, until the process that started it lets go or is gone. */
export async function work(
  config: Config,
  { now, log, memory }: { now: () => number; log: Log; memory: string | undefined },
): Promise<void> {
  const { asksToEnd, isGone } = watchParent()
  leaveSignalsToParent()
  const pulse = setInterval(() => tell({ kind: 'lives' }), PULSE_MILLISECONDS)
  try {
    const store = await openStore(config.database, SERVING)
    const meter = config.metrics && createMeter()
    const telling =
      meter && setInterval(() => tell({ kind: 'metrics', families: meter.read() }), METRICS_MILLISECONDS)
    try {
      using counters = await openCounters(config, { now, log, memory: openMemory(memory) })
      const listener = await listen({
        config,
        store,
        now,
        log,
        counters,
        rules: await loadRules(config.rules),
        keepUsage: (report) => tell({ kind: 'usage', ...report }),
        metrics: meter?.metrics,
        fd: DOOR,
      })
      tell({ kind: 'listens' })
      await aborted(asksToEnd)
      // A parent that does not wait until it has ended was told to end at once.
      isGone.addEventListener('abort', () => listener.server.stop(true))
      await listener.drain()
      // The last counts would be lost if this side let go first: not all of them may be written yet.
      tell({ kind: 'drained' })
      await aborted(isGone)
    } finally {
      clearInterval(telling)
      meter?.stop()
      await store.close()
    }
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof ServiceError)) throw error
    tell({ kind: 'failed', reason: error.message })
    process.disconnect?.()
  } finally {
    clearInterval(pulse)
  }
}

/** The parent is gone when it has let go of this process, too; either way there is nobody left to serve for. */
function watchParent(): { asksToEnd: AbortSignal; isGone: AbortSignal } {
  const [asks, gone] = [new AbortController(), new AbortController()]
  process.on('message', (message: ParentMessage) => {
    if (message === 'end') asks.abort()
  })
  process.once('disconnect', () => gone.abort())
  if (!process.connected) gone.abort()
  return { asksToEnd: AbortSignal.any([asks.signal, gone.signal]), isGone: gone.signal }
}

function tell(message: WorkerMessage): void {
  if (process.connected) process.send?.(message)
}

/** The memory that all workers count in. */
function openMemory(path: string | undefined): Int32Array | undefined {
  if (path === undefined) return undefined
  const bytes = Bun.mmap(path, { shared: true })
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}
