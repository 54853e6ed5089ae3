import { createHash } from 'node:crypto'
import { RedisClient } from 'bun'
import type { Counters, LocalCounters, Taken } from './counters.ts'

const PATIENCE_MILLISECONDS = 100

/** How long it may take to connect, and how long after a failure it is tried again. */
const CONNECT_MILLISECONDS = 1000
const RETRY_MILLISECONDS = 1000

/** A key outlives its window a little: the clocks of nodes differ. */
const SLACK_MILLISECONDS = 5000

const PREFIX = 'passportd:limit:'
const GREETING = `${PREFIX}greeting`

type Script = { text: string; sha: string }

const TAKE = script(`
local limit = tonumber(ARGV[1])
if tonumber(redis.call('get', KEYS[1]) or '0') >= limit then return -1 end
local count = redis.call('incr', KEYS[1])
if count == 1 then redis.call('pexpire', KEYS[1], ARGV[2]) end
return limit - count`)

const GIVE_BACK = script(`
if tonumber(redis.call('get', KEYS[1]) or '0') > 0 then redis.call('decr', KEYS[1]) end
return 0`)

type Options = {
  /** Tells which window it is; Redis has no say in it. */
  now: () => number
  /** How long a request waits for Redis. */
  patience?: number
  /** Once each time Redis is lost. */
  onAway: (reason: string) => void
  onBack: () => void
}

export type RedisCounters = Counters & Disposable

/**
 * Counts in Redis, for all nodes that use it, and in `local` too: what this node let through is known whatever
 * becomes of Redis. While Redis is away `local` decides, and nobody waits. Ready once the first try to connect is over.
 */
export async function createRedisCounters(
  url: string,
  local: LocalCounters,
  { now, patience = PATIENCE_MILLISECONDS, onAway, onBack }: Options,
): Promise<RedisCounters> {
  let link: RedisClient | undefined
  let isAway = false
  /** Answers that came in time. */
  let answers = 0
  let isClosed = false
  let retry: Timer | undefined

  async function connect(): Promise<void> {
    const client = new RedisClient(url, { autoReconnect: false, enableOfflineQueue: false })
    try {
      await within(Math.max(CONNECT_MILLISECONDS, patience), greet(client))
      // One that takes longer than requests wait would be lost again with the next of them, and so on.
      await within(patience, run(client, GIVE_BACK, GREETING))
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

  async function share(client: RedisClient, mine: Taken, key: string, args: string[]): Promise<Taken> {
    const before = answers
    let left: number
    try {
      left = await within(patience, run(client, TAKE, key, args))
    } catch (error) {
      // One late answer among others in time is no outage.
      if (answers === before) leave(client, error)
      return mine
    }
    answers++
    if (left < 0) mine.giveBack()
    return {
      left: Math.min(left, mine.left),
      seconds: mine.seconds,
      giveBack() {
        mine.giveBack()
        if (link === client) run(client, GIVE_BACK, key).catch(() => undefined)
      },
    }
  }

  await connect()
  return {
    take(caller, limit, window) {
      const mine = local.take(caller, limit, window)
      if (!link || mine.left < 0) return mine
      const life = String(window * 1000 + SLACK_MILLISECONDS)
      return share(link, mine, keyOf(caller, window, now()), [String(limit), life])
    },
    [Symbol.dispose]() {
      isClosed = true
      clearTimeout(retry)
      link?.close()
      link = undefined
    },
  }
}

/** Counting is tried too: a server that is loading its data, or is a replica, connects as well. */
async function greet(client: RedisClient): Promise<void> {
  await client.connect()
  await run(client, TAKE, GREETING, ['1000000', String(RETRY_MILLISECONDS)])
  await run(client, GIVE_BACK, GREETING)
}

async function run(client: RedisClient, script: Script, key: string, args: string[] = []): Promise<number> {
  const answer = await evaluate(client, script, ['1', key, ...args])
  if (!Number.isInteger(answer)) throw new Error('an answer that is no number')
  return answer as number
}

/** Redis forgets scripts when it restarts. */
async function evaluate(client: RedisClient, { sha, text }: Script, rest: string[]): Promise<unknown> {
  try {
    return await client.send('EVALSHA', [sha, ...rest])
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return await client.send('EVAL', [text, ...rest])
  }
}

/** Callers' addresses are not told to Redis. */
function keyOf(caller: string, window: number, time: number): string {
  const hash = createHash('sha256').update(`${window} ${caller}`).digest('base64url').slice(0, 22)
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

function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}
