import { createFixedWindow, type RateCounter } from '../api/fixed-window.ts'
import { createRedisCounter } from '../api/redis-rate-limit.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'

type Options = {
  now: () => number
  log: Log
  /** The memory that all server threads count in. */
  windows: Int32Array
}

/** Counts in the memory of this process, or for all nodes in Redis. */
export async function openRateCounter(
  { redisUrl }: Pick<Config, 'redisUrl'>,
  { now, log, windows }: Options,
): Promise<RateCounter> {
  const local = createFixedWindow(now, windows)
  if (redisUrl === undefined) return local
  const { host } = new URL(redisUrl)
  return createRedisCounter(redisUrl, local, {
    now,
    onAway: (reason) =>
      log.warn(`Redis at ${host} is unavailable, rate limits count on this node alone: ${reason}`),
    onBack: () => log.warn(`Redis at ${host} is available again, rate limits are shared.`),
  })
}
