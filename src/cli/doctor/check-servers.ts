import { RedisClient } from 'bun'
import { namePostgres } from '../../config/database-address.ts'
import { findReplicaSchema } from '../../store/postgres/diagnostics.ts'
import { SCHEMA } from '../../store/postgres/migrate.ts'
import { type CheckResult, ok, problem } from './check-result.ts'

const TIMEOUT_MILLISECONDS = 2000

/** `/ready` and the log of `serve` report replicas that lag. */
export async function checkReplica(url: string): Promise<CheckResult> {
  const schema = await findReplicaSchema(url)
  const name = namePostgres(url)
  if (schema === SCHEMA) return ok('replica', `${name} is available.`)
  return problem(
    'replica',
    `The schema of ${name} is ${schema}, but this program needs ${SCHEMA}: is it a replica of this primary?`,
  )
}

export async function checkRedis(url: string): Promise<CheckResult> {
  const client = new RedisClient(url, {
    autoReconnect: false,
    enableOfflineQueue: false,
    connectionTimeout: TIMEOUT_MILLISECONDS,
  })
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('No response')), TIMEOUT_MILLISECONDS)
  try {
    await Promise.race([client.connect().then(() => client.send('PING', [])), timeout])
    return ok('redis', 'It is available.')
  } catch (error) {
    const advice =
      'Check the address and password of REDIS_URL; until then each node counts its own rate limits'
    return problem('redis', `Redis is unavailable: ${(error as Error).message}. ${advice}.`)
  } finally {
    clearTimeout(timer)
    client.close()
  }
}
