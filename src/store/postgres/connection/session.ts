import { namePostgres } from '../../../config/database-address.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { createSqlPools, type PoolOptions, type SqlPools } from './sql-pools.ts'

/** Pools that are replaced together, and the pending calls on them. */
export type Session = {
  pools: SqlPools
  waiting: Set<(error: unknown) => void>
  /** Short statements without a result, including those whose callers have given up. */
  pending: number
  /** When the last result arrived, by `performance.now()`. */
  lastResult: number | undefined
}

export function openSession(url: string, options: PoolOptions): Session {
  try {
    const pools = createSqlPools(url, options)
    return { pools, waiting: new Set(), pending: 0, lastResult: undefined }
  } catch (error) {
    const reason = `cannot be used: ${(error as Error).message}. Check the options of DATABASE_URL.`
    throw unavailable(namePostgres(url), reason)
  }
}

export function noteResult(session: Session): void {
  session.lastResult = performance.now()
}

export const unavailable = (name: string, sentence: string) =>
  new ServiceError('unavailable', `${name} ${sentence}`)

/** Calls `work` after a delay; setImmediate processes results that arrived while this process was blocked. */
export function after(milliseconds: number, work: () => void): Timer | undefined {
  if (milliseconds === Number.POSITIVE_INFINITY) return undefined
  return setTimeout(() => setImmediate(work), milliseconds)
}
