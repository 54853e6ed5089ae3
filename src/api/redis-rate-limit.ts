import { createHash } from 'node:crypto'
import { RedisClient } from 'bun'
import type { Consumed, FixedWindow, RateCounter } from './fixed-window.ts'

const PATIENCE_MILLISECONDS = 100

/** How long it may take to connect, and how long after a failure it is tried again. */
const CONNECT_MILLISECONDS = 1000
const RETRY_MILLISECONDS = 1000

/** A key outlives its window a little: the clocks of nodes differ. */
const SLACK_MILLISECONDS = 5000

const PREFIX = 'passportd:limit:'
const GREETING = `${PREFIX}greeting`

const CONSUME = `
local limit = tonumber(ARGV[1])
if tonumber(redis.call('get', KEYS[1]) or '0') >= limit then return -1 end
local count = redis.call('incr', KEYS[1])
if count == 1 then redis.call('pexpire', KEYS[1], ARGV[2]) end
return limit - count`

const REFUND = `
if tonumber(redis.call('get', KEYS[1]) or '0') > 0 then redis.call('decr', KEYS[1]) end
return 0`

type Options = {
  /** Tells which window it is; Redis has no say in it. */
  now: () => number
  /** How long a request waits for Redis. */
  patience?: number
  /** Once each time Redis is lost. */
  onAway: (reason: string) => void
  onBack: () => void
}

export type RedisCounter = RateCounter & Disposable

/**
 * Counts in Redis, for all nodes that use it, and in `local` too: what this node let through is known whatever
 * becomes of Redis. While Redis is away `local` decides, and nobody waits. Ready once the first try to connect is over.
 */
export async function createRedisCounter(
  url: string,
  local: FixedWindow,
  { now, patience = PATIENCE_MILLISECONDS, onAway, onBack }: Options,
): Promise<RedisCounter> {
  let link: RedisClient | undefined
  let isAway = false
  /** Answers that came in time. */
  let answers = 0
  let isClosed = false
  let retry: Timer | undefined

  async function connect(): Promise<void> {
    const client = new RedisClient(url, { autoReconnect: false, enableOfflineQueue: false })
    try {
      await within(Math.max(CONNECT_MILLISECONDS, patience), client.connect())
      // A replica, a server that is loading its data, and one that is too slow for requests connect as well.
      await within(patience, run(client, CONSUME, GREETING, ['1000000', String(RETRY_MILLISECONDS)]))
    } catch (error) {
      client.close()
      return wait(error)
    }
    if (isClosed) return client.close()
    link = client
    client.onclose = () => leave(client, new Error('the connection was closed'))
    if (isAway) onBack()
    isAway = false
  }

  function leave(client: RedisClient, error: unknown): void {
    if (link !== client) return
    link = undefined
    client.close()
    wait(error)
  }

  function wait(error: unknown): void {
    if (isClosed) return
    if (!isAway) onAway(error instanceof Error ? error.message : String(error))
    isAway = true
    retry = setTimeout(connect, RETRY_MILLISECONDS)
  }

  async function share(client: RedisClient, mine: Consumed, key: string, args: string[]): Promise<Consumed> {
    const before = answers
    let left: number
    try {
      left = await within(patience, run(client, CONSUME, key, args))
    } catch (error) {
      // One late answer among others in time is no outage.
      if (answers === before) leave(client, error)
      return mine
    }
    answers++
    if (left < 0) mine.refund()
    return {
      left: Math.min(left, mine.left),
      seconds: mine.seconds,
      refund() {
        mine.refund()
        if (link === client) run(client, REFUND, key).catch(() => undefined)
      },
    }
  }

  await connect()
  return {
    async consume(client, limit, window) {
      const mine = local.consume(client, limit, window)
      if (!link || mine.left < 0) return mine
      const life = String(window * 1000 + SLACK_MILLISECONDS)
      return share(link, mine, keyOf(client, window, now()), [String(limit), life])
    },
    [Symbol.dispose]() {
      isClosed = true
      clearTimeout(retry)
      link?.close()
      link = undefined
    },
  }
}

async function run(client: RedisClient, script: string, key: string, args: string[] = []): Promise<number> {
  const answer: unknown = await client.send('EVAL', [script, '1', key, ...args])
  if (!Number.isInteger(answer)) throw new Error('an answer that is no number')
  return answer as number
}

/** Addresses of clients are not sent to Redis. */
function keyOf(client: string, window: number, time: number): string {
  const hash = createHash('sha256').update(`${window} ${client}`).digest('base64url').slice(0, 22)
  return `${PREFIX}${hash}:${Math.floor(time / (window * 1000))}`
}

function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const late = () => reject(new Error(`no answer within ${milliseconds} ms`))
  // Where this process was busy, the answer may have come and not been read yet: that happens first.
  const timer = setTimeout(() => setImmediate(late), milliseconds)
  work.then(resolve, reject).finally(() => clearTimeout(timer))
  return promise
}
