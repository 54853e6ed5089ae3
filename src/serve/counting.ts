import { type Counters, createCounters } from '../api/counters.ts'
import { createRedisCounters } from '../api/redis-counters.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'

type Options = {
  now: () => number
  log: Log
  /** What workers count in together; else the process counts for itself. */
  memory?: Int32Array | undefined
}

/** Counts here, or for all nodes where there is a Redis. */
export async function openCounters(
  { redisUrl }: Pick<Config, 'redisUrl'>,
  { now, log, memory }: Options,
): Promise<Counters & Disposable> {
  const local = createCounters(now, memory)
  if (redisUrl === undefined) return { ...local, [Symbol.dispose]: () => undefined }
  const { host } = new URL(redisUrl)
  return createRedisCounters(redisUrl, local, {
    now,
    onAway: (reason) => log.warn(`Redis at ${host} is away, limits count here alone: ${reason}`),
    onBack: () => log.warn(`Redis at ${host} is back, limits are shared again.`),
  })
}
