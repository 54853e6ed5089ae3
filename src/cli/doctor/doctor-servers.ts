import { RedisClient } from 'bun'
import { examineReplica as lookAtReplica } from '../../store/postgres/examine.ts'
import { SCHEMA } from '../../store/postgres/migrate.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Windows of limits, dates of keys and brown-outs are kept by each machine's clock. */
const LARGEST_DIFFERENCE = 2000

const LONG_BEHIND = 30_000
const PATIENCE_MILLISECONDS = 2000
const OLDEST_REDIS = 7

export function compareClock(whose: string, theirs: number, ours: number): Finding {
  const difference = Math.round(Math.abs(theirs - ours) / 100) / 10
  return Math.abs(theirs - ours) > LARGEST_DIFFERENCE
    ? warning(
        'clock',
        `${whose} says ${new Date(theirs).toISOString()}, ${difference} s away from this machine: keep both in step (NTP).`,
      )
    : ok('clock', `${whose} has the same time.`)
}

export async function examineReplica(url: string): Promise<Finding[]> {
  const { schema, isReplica, behind } = await lookAtReplica(url)
  if (schema !== SCHEMA)
    return [
      problem(
        'replica',
        `Its schema is ${schema}, and this program knows ${SCHEMA}: is it a replica of this primary?`,
      ),
    ]
  if (!isReplica)
    return [
      warning(
        'replica',
        'DATABASE_READ_URL names a server that is not a replica: it may say something else than the primary.',
      ),
    ]
  return [
    behind > LONG_BEHIND
      ? warning(
          'replica',
          `It is ${Math.round(behind / 1000)} s behind its primary: look at the network and its load.`,
        )
      : ok('replica', 'It answers, and is not behind.'),
  ]
}

/** Without it each node counts for itself: nothing fails. */
export async function examineRedis(url: string, now: () => number): Promise<Finding[]> {
  const client = new RedisClient(url, {
    autoReconnect: false,
    enableOfflineQueue: false,
    connectionTimeout: PATIENCE_MILLISECONDS,
  })
  try {
    return await Promise.race([ask(client, now), late()])
  } catch (error) {
    const { message } = error as Error
    return [
      problem(
        'redis',
        `It cannot be used: ${message.replace(/\.$/, '')}. Look at REDIS_URL; meanwhile each node counts limits for itself.`,
      ),
    ]
  } finally {
    client.close()
  }
}

async function ask(client: RedisClient, now: () => number): Promise<Finding[]> {
  await client.connect()
  const [seconds, microseconds] = (await client.send('TIME', [])) as [string, string]
  const time = Number(seconds) * 1000 + Number(microseconds) / 1000
  const info = String(await client.send('INFO', ['server']))
  const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? ''
  return [
    Number.parseInt(version, 10) < OLDEST_REDIS
      ? problem('redis', `It is version ${version}: ${OLDEST_REDIS} or later is needed.`)
      : ok('redis', `It answers, version ${version}.`),
    compareClock('Redis', time, now()),
  ]
}

async function late(): Promise<never> {
  await Bun.sleep(PATIENCE_MILLISECONDS)
  throw new Error(`no answer within ${PATIENCE_MILLISECONDS} ms`)
}
