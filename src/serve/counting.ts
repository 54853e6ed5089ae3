import { createFixedWindow, type RateCounter } from '../api/fixed-window.ts'
import { createRedisCounter } from '../api/redis-rate-limit.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'

type Options = {
  now: () => number
  log: Log
  /** What workers count in together; else the process counts for itself. */
  memory?: Int32Array | undefined
}

/** Counts here, or for all nodes where there is a Redis. */
export async function openCounter(
  { redisUrl }: Pick<Config, 'redisUrl'>,
  { now, log, memory }: Options,
): Promise<RateCounter & Disposable> {
  const local = createFixedWindow(now, memory)
  if (redisUrl === undefined) return { ...local, [Symbol.dispose]: () => undefined }
  const { host } = new URL(redisUrl)
  return createRedisCounter(redisUrl, local, {
    now,
    onAway: (reason) => log.warn(`Redis at ${host} is away, limits count here alone: ${reason}`),
    onBack: () => log.warn(`Redis at ${host} is back, limits are shared again.`),
  })
}
