import type { Config } from '../config.ts'
import { ServiceError } from '../domain/errors.ts'
import { createCounters } from '../http/counters.ts'
import type { UsageReport } from '../http/usage.ts'
import type { Log } from '../log.ts'
import { openStore } from '../store/open.ts'
import { listen, SERVING } from './listener.ts'
import { aborted, asked } from './signals.ts'
import { CommandError } from './usage.ts'

/** What a worker tells the process that started it. */
export type WorkerMessage =
  | { kind: 'listens' }
  | { kind: 'failed'; reason: string }
  | ({ kind: 'usage' } & UsageReport)

/** Serves beside others on one port, until the process that started it lets go or is gone. */
export async function work(
  config: Config,
  { now, log, memory }: { now: () => number; log: Log; memory: string | undefined },
): Promise<void> {
  const released = watchParent()
  // A signal to the group reaches workers too; without a handler it would cut off requests under way.
  asked()
  try {
    const store = await openStore(config.database, SERVING)
    try {
      const listener = await listen({
        config,
        store,
        now,
        log,
        counters: createCounters(now, openCounters(memory)),
        keepUsage: (report) => tell({ kind: 'usage', ...report }),
        sharePort: true,
      })
      tell({ kind: 'listens' })
      await aborted(released)
      await listener.drain()
    } finally {
      await store.close()
    }
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof ServiceError)) throw error
    tell({ kind: 'failed', reason: error.message })
    process.disconnect?.()
  }
}

/** Aborted when the parent lets go of this process, or is gone. */
function watchParent(): AbortSignal {
  const controller = new AbortController()
  process.once('disconnect', () => controller.abort())
  if (!process.connected) controller.abort()
  return controller.signal
}

function tell(message: WorkerMessage): void {
  if (process.connected) process.send?.(message)
}

/** The memory that all workers count in. */
function openCounters(path: string | undefined): Int32Array | undefined {
  if (path === undefined) return undefined
  const bytes = Bun.mmap(path, { shared: true })
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}
