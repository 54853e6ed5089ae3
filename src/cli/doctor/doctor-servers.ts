import { RedisClient } from 'bun'
import { explainRedisError } from '../../api/redis/redis-error.ts'
import { namePostgres } from '../../config/database-address.ts'
import { formatDuration } from '../../domain/text/duration.ts'
import { diagnoseReplica } from '../../store/postgres/diagnostics.ts'
import { SCHEMA } from '../../store/postgres/migrate.ts'
import { DEFAULT_MAX_LAG } from '../../store/postgres/open.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Rate limits, expiry dates and brownouts depend on the clock of each machine. */
const LARGEST_DIFFERENCE = 2000

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

export async function checkReplica(
  url: string,
  { url: primary, maxLag = DEFAULT_MAX_LAG }: Primary,
): Promise<Finding> {
  const { schema, isReplica, isPrimary, isUpToDate, isReceiving } = await diagnoseReplica(
    url,
    primary,
    maxLag,
  )
  const name = namePostgres(url)
  const schemas = `The schema of ${name} is ${schema}, but this program needs ${SCHEMA}`
  if (schema !== SCHEMA) return problem('replica', `${schemas}: is it a replica of this primary?`)
  if (isPrimary) return ok('replica', `${name} is available: it is the primary.`)
  if (!isReplica)
    return warning('replica', `${name} is not a replica: reads use other servers. Correct DATABASE_READ_URL.`)
  const behind = `${name} did not get the changes of its primary within ${formatDuration(maxLag)}, so reads use other servers`
  if (!isUpToDate)
    return problem(
      'replica',
      `${behind}: check its replication (pg_stat_wal_receiver, primary_conninfo), the network and the load.`,
    )
  if (isReceiving) return ok('replica', `${name} is available and up to date.`)
  return warning('replica', `${name} is up to date, but no WAL receiver runs there: check primary_conninfo.`)
}

type Primary = { url: string; maxLag?: number }

export async function checkRedis(url: string, now: () => number): Promise<Finding[]> {
  const client = new RedisClient(url, {
    autoReconnect: false,
    enableOfflineQueue: false,
    connectionTimeout: TIMEOUT_MILLISECONDS,
  })
  try {
    return await Promise.race([queryRedis(client, now), timeout()])
  } catch (error) {
    const reason = await explainRedisError(url, error)
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
