import { unavailable } from '../../../../basics/errors.ts'
import { namePostgres, splitHosts } from '../../../database-address.ts'
import { isUnavailable, readOnlyError } from './errors.ts'
import { createPool, type Pool } from './health-checked-pool.ts'
import type { PoolOptions } from './sql-pools.ts'

/** Opens a pool for commands that need only the primary. */
export function openPrimary(url: string, options: PoolOptions): Pool {
  const hosts = splitHosts(url).map((host) => createPool(host, options))
  return createPrimary(hosts, namePostgres(url), options)
}

/** The hosts of DATABASE_URL as one pool. Calls go to the host that accepts writes, also after a failover. */
export function createPrimary(
  hosts: readonly Pool[],
  name: string,
  { onNotice }: Pick<PoolOptions, 'onNotice'>,
): Pool {
  const [only] = hosts
  if (only && hosts.length === 1) return only
  let current: Pool | undefined
  let failure: unknown
  let isWatched = false
  const finding = findWritable(hosts, name).then(
    (host) => {
      current ??= host
    },
    (error) => {
      failure = error
    },
  )

  /** Keeps the current host while it accepts writes, because an old primary that comes back may lack changes. */
  function find(): Pool | undefined {
    if (current?.acceptsWrites() === false) current = undefined
    current ??= hosts.find((host) => host.acceptsWrites())
    return current
  }

  async function get(): Promise<Pool> {
    // Without health checks, the first call has to find the host.
    if (!isWatched) await finding
    const host = find()
    if (!host) throw failure ?? unavailable(`${name} has no host that accepts writes.`)
    return host
  }

  function watch(onHealth: Parameters<Pool['watch']>[0]): void {
    isWatched = true
    let last = current
    for (const host of hosts)
      host.watch((health, isOtherServer) => {
        failure = undefined
        const primary = find()
        if (primary !== last)
          onNotice?.(
            primary
              ? `${primary.name} accepts writes: it is the primary now.`
              : `No host of ${name} accepts writes: reads use a standby, and writes wait for a primary.`,
          )
        if (host === primary) onHealth(health, isOtherServer || primary !== last)
        last = primary
      })
  }

  const close = async () => void (await Promise.all(hosts.map((host) => host.close())))
  return {
    name,
    query: async (...args) => (await get()).query(...args),
    longQuery: async (...args) => (await get()).longQuery(...args),
    transaction: async (...args) => (await get()).transaction(...args),
    ping: async () => (await get()).ping(),
    isUp: () => find() !== undefined,
    acceptsWrites: () => find() !== undefined,
    watch,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The first host that reports that it accepts writes. If none does, throws the reason of each host. */
async function findWritable(hosts: readonly Pool[], name: string): Promise<Pool> {
  const attempts = hosts.map(async (host) => {
    if (await isReadOnly(host)) throw unavailable(`${host.name} is a standby.`)
    return host
  })
  try {
    return await Promise.any(attempts)
  } catch (cause) {
    const { errors } = cause as AggregateError
    const unexpected = errors.find((error) => !isUnavailable(error))
    if (unexpected) throw unexpected
    const reasons = errors.map(({ message }) => message).join(' ')
    throw unavailable(`${name} has no host that accepts writes. ${reasons}`, { cause })
  }
}

async function isReadOnly({ query }: Pool): Promise<boolean> {
  const [row] = await query<{ mode: string }>(`select current_setting('transaction_read_only') as mode`)
  return row?.mode === 'on'
}

export async function checkWritable(pool: Pool): Promise<void> {
  if (await isReadOnly(pool)) throw readOnlyError(pool.name, new Error('transaction_read_only is on'))
}
