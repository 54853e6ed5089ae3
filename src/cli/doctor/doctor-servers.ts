import { RedisClient } from 'bun'
import { diagnoseReplica } from '../../store/postgres/diagnostics.ts'
import { SCHEMA } from '../../store/postgres/migrate/migrate.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Rate limits, expiry dates and brownouts depend on the clock of each machine. */
const LARGEST_DIFFERENCE = 2000

const LONG_BEHIND = 30_000
const TIMEOUT_MILLISECONDS = 2000
const OLDEST_REDIS = 7

export function compareClock(whose: string, theirs: number, ours: number): Finding {
  const difference = Math.abs(theirs - ours)
  if (difference <= LARGEST_DIFFERENCE) return ok('clock', `The clock of ${whose} agrees with this machine.`)
  const date = new Date(theirs).toISOString()
  const seconds = (difference / 1000).toFixed(1)
  return warning(
    'clock',
    `The clock of ${whose} shows ${date}, ${seconds} s off this machine: synchronize both (NTP).`,
  )
}

export async function checkReplica(url: string): Promise<Finding> {
  const { schema, isReplica, behind } = await diagnoseReplica(url)
  const schemas = `Its schema is ${schema}, but this program needs ${SCHEMA}`
  if (schema !== SCHEMA) return problem('replica', `${schemas}: is it a replica of this primary?`)
  if (!isReplica)
    return warning('replica', 'DATABASE_READ_URL is not a replica: its data may differ from the primary.')
  if (behind <= LONG_BEHIND) return ok('replica', 'It is available and up to date.')
  const seconds = Math.round(behind / 1000)
  return warning('replica', `It is ${seconds} s behind its primary: check the network and the load.`)
}

export async function checkRedis(url: string, now: () => number): Promise<Finding[]> {
  const client = new RedisClient(url, {
    autoReconnect: false,
    enableOfflineQueue: false,
    connectionTimeout: TIMEOUT_MILLISECONDS,
  })
  try {
    return await Promise.race([queryRedis(client, now), timeout()])
  } catch (error) {
    const reason = (error as Error).message.replace(/\.$/, '')
    const advice = 'Check REDIS_URL; until then each node counts its own rate limits'
    return [problem('redis', `Redis is unavailable: ${reason}. ${advice}.`)]
  } finally {
    client.close()
  }
}

async function queryRedis(client: RedisClient, now: () => number): Promise<Finding[]> {
  await client.connect()
  const [seconds, microseconds] = (await client.send('TIME', [])) as [string, string]
  const time = Number(seconds) * 1000 + Number(microseconds) / 1000
  const info = String(await client.send('INFO', ['server']))
  const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? ''
  return [
    Number.parseInt(version, 10) < OLDEST_REDIS
      ? problem('redis', `It is version ${version}: ${OLDEST_REDIS} or later is needed.`)
      : ok('redis', `It is available, version ${version}.`),
    compareClock('Redis', time, now()),
  ]
}

async function timeout(): Promise<never> {
  await Bun.sleep(TIMEOUT_MILLISECONDS)
  throw new Error(`no response within ${TIMEOUT_MILLISECONDS} ms`)
}
