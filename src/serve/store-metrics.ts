import type { Family } from '../api/prometheus.ts'
import type { Store } from '../store/store.ts'
import { gauge } from './process-metrics.ts'

/** To count what is stale costs more than to be scraped. */
const STALE_MILLISECONDS = 10_000

/** What the store tells when it is asked; one that is away tells only that. */
export function createStoreMetrics(store: Store, { now, replica }: { now: () => number; replica: boolean }) {
  let stale: number | undefined
  let askedAt = Number.NEGATIVE_INFINITY

  async function readStale(): Promise<Family[]> {
    // The clock may be set back.
    if (Math.abs(now() - askedAt) >= STALE_MILLISECONDS) {
      askedAt = now()
      stale = await attempt(() => store.scoring.countStale())
    }
    return stale === undefined
      ? []
      : [gauge('passportd_stale_passports', 'Passports whose score waits to be worked out.', stale)]
  }

  return async (): Promise<Family[]> => {
    const works = await attempt(() => store.ping())
    const parts = {
      reads: works !== undefined,
      writes: works?.writes === true,
      ...(replica && { replica: works?.replica === true }),
    }
    const up: Family = {
      name: 'passportd_store_up',
      help: 'Whether a part of the store works: 1 or 0.',
      type: 'gauge',
      samples: Object.entries(parts).map(([part, works]) => ({ labels: { part }, value: Number(works) })),
    }
    return [up, ...(await readStale())]
  }
}

async function attempt<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}
