import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseAddress } from '../domain/database-address.ts'
import { V1_PRESS } from '../http/v1/press.ts'
import { openStore, SOON } from '../store/open.ts'

/** Passports whose documents are made in one transaction. */
const BATCH = 100

const IDLE_MILLISECONDS = 300

/** Others write in between: imports and scorers come first. */
const PAUSE_OF_WORK = 2

/** Makes documents of whatever comes to rest, until it is told to end. */
export async function keepMaking(database: DatabaseAddress, signal: AbortSignal): Promise<void> {
  const store = await openStore(database, SOON)
  try {
    while (!signal.aborted) {
      const begin = performance.now()
      const count = await store.documents.make(BATCH, V1_PRESS)
      const pause = count === 0 ? IDLE_MILLISECONDS : PAUSE_OF_WORK * (performance.now() - begin)
      await sleep(pause, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    await store.close()
  }
}
