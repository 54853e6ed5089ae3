import type { Config } from '../config.ts'
import { ServiceError } from '../domain/errors.ts'
import type { Log } from '../log.ts'
import { openStore } from '../store/open.ts'
import { drain, listen, SERVING } from './listener.ts'
import { aborted, asked } from './signals.ts'
import { CommandError } from './usage.ts'

/** What a worker tells the process that started it. */
export type WorkerMessage = { kind: 'listens' } | { kind: 'failed'; reason: string }

/** Serves beside others on one port, until the process that started it lets go or is gone. */
export async function work(config: Config, { now, log }: { now: () => number; log: Log }): Promise<void> {
  const released = watchParent()
  // A signal to the group reaches workers too; without a handler it would cut off requests under way.
  asked()
  try {
    const store = await openStore(config.database, SERVING)
    try {
      const server = listen({ config, store, now, log, sharePort: true })
      tell({ kind: 'listens' })
      await aborted(released)
      await drain(server)
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
