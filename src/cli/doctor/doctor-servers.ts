import { RedisClient } from 'bun'
import { diagnoseReplica } from '../../store/postgres/diagnostics.ts'
import { SCHEMA } from '../../store/postgres/migrate/migrate.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Windows of limits, dates of keys and brown-outs are kept by each machine's clock. */
const LARGEST_DIFFERENCE = 2000

const LONG_BEHIND = 30_000
const TIMEOUT_MILLISECONDS = 2000
const OLDEST_REDIS = 7

export function compareClock(whose: string, theirs: number, ours: number): Finding {
  const difference = Math.abs(theirs - ours)
  if (difference <= LARGEST_DIFFERENCE) return ok('clock', `${whose} has the same time.`)
  const date = new Date(theirs).toISOString()
  const seconds = (difference / 1000).toFixed(1)
  return warning(
    'clock',
    `${whose} says ${date}, ${seconds} s away from this machine: keep both in step (NTP).`,
  )
}

export async function examineReplica(url: string): Promise<Finding> {
  const { schema, isReplica, behind } = await diagnoseReplica(url)
  const schemas = `Its schema is ${schema}, and this program knows ${SCHEMA}`
  if (schema !== SCHEMA) return problem('replica', `${schemas}: is it a replica of this primary?`)
  if (!isReplica)
    return warning('replica', 'DATABASE_READ_URL names no replica: its data may differ from the primary.')
  if (behind <= LONG_BEHIND) return ok('replica', 'It answers, and is not behind.')
  const seconds = Math.round(behind / 1000)
  return warning('replica', `It is ${seconds} s behind its primary: look at the network and its load.`)
}

/** Without it each node counts for itself: nothing fails. */
export async function examineRedis(url: string, now: () => number): Promise<Finding[]> {
  const client = new RedisClient(url, {
    autoReconnect: false,
    enableOfflineQueue: false,
    connectionTimeout: TIMEOUT_MILLISECONDS,
  })
  try {
    return await Promise.race([ask(client, now), late()])
  } catch (error) {
    const reason = (error as Error).message.replace(/\.$/, '')
    const advice = 'Look at REDIS_URL; meanwhile each node counts limits for itself'
    return [problem('redis', `It cannot be used: ${reason}. ${advice}.`)]
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
  await Bun.sleep(TIMEOUT_MILLISECONDS)
  throw new Error(`no answer within ${TIMEOUT_MILLISECONDS} ms`)
}
