import { createHash } from 'node:crypto'
import { RedisClient } from 'bun'
import type { Log } from '../basics/log.ts'
import type { Config } from '../config/config.ts'
import type { FixedWindow, RateLimitCounter, RateLimitResult } from './rate-limit.ts'

const TIMEOUT_MILLISECONDS = 100
const CONNECT_MILLISECONDS = 1000
const RETRY_MILLISECONDS = 1000

/** A key outlives its window a little, because the clocks of nodes differ. */
const CLOCK_SKEW_MILLISECONDS = 5000

const PREFIX = 'passportd:limit:'
const PROBE_KEY = `${PREFIX}greeting`

const CONSUME = `
local limit = tonumber(ARGV[1])
local units = tonumber(ARGV[3])
if tonumber(redis.call('get', KEYS[1]) or '0') + units > limit then return -1 end
local count = redis.call('incrby', KEYS[1], units)
if count == units then redis.call('pexpire', KEYS[1], ARGV[2]) end
return limit - count`

type Options = {
  /** The clock of this node decides which window it is, not the clock of Redis. */
  now: () => number
  timeout?: number
  /** Called once per outage. */
  onUnavailable: (reason: string) => void
  onAvailable: () => void
  /** Called for each failed request to Redis, and each lost or refused connection. */
  onError?: () => void
}

/** `isUp` is undefined without REDIS_URL: then there are no metrics of Redis. */
export type RedisMetrics = { isUp: boolean | undefined; errors: number }

type CounterOptions = { now: () => number; log: Log; metrics?: RedisMetrics | undefined }

/** Opens a counter in Redis, which all nodes share, or returns `local`, the one of this node. */
export async function openRateLimitCounter(
  { redisUrl }: Pick<Config, 'redisUrl'>,
  local: FixedWindow,
  { now, log, metrics = { isUp: undefined, errors: 0 } }: CounterOptions,
): Promise<RateLimitCounter & Partial<Disposable>> {
  if (redisUrl === undefined) return local
  const { host } = new URL(redisUrl)
  metrics.isUp = true
  return createRedisRateLimit(redisUrl, local, {
    now,
    onUnavailable(reason) {
      metrics.isUp = false
      log.warn(`Redis at ${host} is unavailable, each node counts its rate limits alone: ${reason}`)
    },
    onAvailable() {
      metrics.isUp = true
      log.warn(`Redis at ${host} is available again, rate limits are shared.`)
    },
    onError: () => void metrics.errors++,
  })
}

/**
 * Counts requests in Redis, which all nodes share, and also in `local`, so that this node's own counts survive an outage of
 * Redis. While Redis is unavailable, `local` decides and no request waits. Resolves after the first connection attempt.
 */
export async function createRedisRateLimit(
  url: string,
  local: FixedWindow,
  { now, timeout = TIMEOUT_MILLISECONDS, onUnavailable, onAvailable, onError }: Options,
): Promise<RateLimitCounter & Disposable> {
  let current: RedisClient | undefined
  let isUnavailable = false
  let responses = 0
  let isClosed = false
  let retry: Timer | undefined

  async function connect(): Promise<void> {
    const client = await openClient(url, timeout).catch(({ message }: Error) => scheduleRetry(message))
    if (!client) return
    if (isClosed) return client.close()
    current = client
    client.onclose = () => disconnect(client, new Error('the connection was closed'))
    if (isUnavailable) onAvailable()
    isUnavailable = false
  }

  function disconnect(client: RedisClient, error: unknown): void {
    if (current !== client) return
    current = undefined
    client.close()
    scheduleRetry(error instanceof Error ? error.message : String(error))
  }

  function scheduleRetry(error: string): undefined {
    if (isClosed) return
    onError?.()
    if (!isUnavailable) onUnavailable(error)
    isUnavailable = true
    retry = setTimeout(connect, RETRY_MILLISECONDS)
  }

  async function consumeShared(client: RedisClient, own: RateLimitResult, key: string, args: string[]) {
    const before = responses
    let remaining: number
    try {
      remaining = await withTimeout(timeout, run(client, CONSUME, [key], args))
    } catch (error) {
      // One late response is not an outage if other responses arrive in time.
      if (responses === before) disconnect(client, error)
      else onError?.()
      return own
    }
    responses++
    if (remaining < 0) for (let unit = Number(args[2]); unit > 0; unit--) own.refund()
    const refund = () => {
      const isFree = own.refund()
      // A lost refund costs the client one request of its limit.
      if (isFree && current === client)
        run(client, CONSUME, [key], args.with(2, '-1')).catch(() => onError?.())
      return isFree
    }
    return { remaining: Math.min(remaining, own.remaining), seconds: own.seconds, refund }
  }

  await connect()
  return {
    async consume(client, limit, window, units = 1) {
      const own = local.consume(client, limit, window, units)
      if (!current || own.remaining < 0) return own
      const args = [limit, window * 1000 + CLOCK_SKEW_MILLISECONDS, units].map(String)
      return consumeShared(current, own, keyOf(client, window, now()), args)
    },
    [Symbol.dispose]() {
      isClosed = true
      clearTimeout(retry)
      current?.close()
      current = undefined
    },
  }
}

/** Throws if Redis cannot count. A connection is no proof: read-only, loading and slow servers accept it too. */
export async function openClient(url: string, timeout: number): Promise<RedisClient> {
  const client = new RedisClient(url, { autoReconnect: false, enableOfflineQueue: false })
  try {
    await withTimeout(Math.max(CONNECT_MILLISECONDS, timeout), client.connect())
    await withTimeout(
      timeout,
      run(client, CONSUME, [PROBE_KEY], ['1000000', String(RETRY_MILLISECONDS), '1']),
    )
    return client
  } catch (error) {
    client.close()
    throw error
  }
}

async function run(client: RedisClient, script: string, keys: string[], args: string[]): Promise<number> {
  const response: unknown = await client.send('EVAL', [script, String(keys.length), ...keys, ...args])
  if (!Number.isInteger(response)) throw new Error('Redis sent a response that is not an integer')
  return response as number
}

/** The key contains a hash, so that client addresses are not sent to Redis. */
function keyOf(client: string, window: number, time: number): string {
  const hash = createHash('sha256').update(`${window} ${client}`).digest('base64url').slice(0, 22)
  return `${PREFIX}${hash}:${Math.floor(time / (window * 1000))}`
}

function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const expire = () => reject(new Error(`no response within ${milliseconds} ms`))
  // A busy event loop can fire the timer before it reads a timely response. setImmediate lets it read the response.
  const timer = setTimeout(() => setImmediate(expire), milliseconds)
  work.then(resolve, reject).finally(() => clearTimeout(timer))
  return promise
}
