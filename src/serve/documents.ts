import { setTimeout as sleep } from 'node:timers/promises'
import { V1_PRESS } from '../api/v1/press.ts'
import type { DatabaseAddress } from '../domain/database-address.ts'
import { openStore, SOON } from '../store/open.ts'

/** Passports whose documents are made in one transaction. */
const BATCH = 100

/** How often it looks for something to do. */
const IDLE_MILLISECONDS = 300

/** How long it leaves the store to somebody else who writes: nobody misses a document. */
const BUSY_MILLISECONDS = 1000

/** Makes documents of whatever comes to rest, until it is told to end. */
export async function keepMaking(database: DatabaseAddress, signal: AbortSignal): Promise<void> {
  const store = await openStore(database, SOON)
  try {
    while (!signal.aborted) {
      const begin = performance.now()
      const count = await store.documents.make(BATCH, V1_PRESS)
      // Half of the time is left to those who want to write.
      const whileMaking = performance.now() - begin
      const pause = count === undefined ? BUSY_MILLISECONDS : count === 0 ? IDLE_MILLISECONDS : whileMaking
      await sleep(pause, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    await store.close()
  }
}
