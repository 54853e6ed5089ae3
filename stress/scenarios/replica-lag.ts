import { SQL } from 'bun'
import { openPostgres } from '../../src/core/store/database/postgres/open.ts'
import { tcpProxy } from '../../test/support/http/tcp-proxy.ts'
import { startPostgres, startReplica } from '../../test/support/postgres/postgres.ts'
import { saveRecords } from '../../test/support/store/engines.ts'
import { named } from '../../test/support/store/records.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { until } from '../../test/support/wait-until.ts'
import type { Scenario } from '../run-scenario.ts'
import { tryToServe } from '../support/command.ts'

type Replication = { proxy: Awaited<ReturnType<typeof tcpProxy>>; sql: SQL }

/** Each function begins a fault and returns the function that ends it. */
const FAULTS: Record<string, (replication: Replication) => Promise<() => unknown>> = {
  async 'the network hangs'({ proxy }) {
    proxy.hang()
    return proxy.flow
  },
  async 'the replay is paused'({ sql }) {
    await sql`select pg_wal_replay_pause()`
    return () => sql`select pg_wal_replay_resume()`
  },
}

export const replicaLag: Scenario = {
  name: 'replica-lag',
  title: 'the replication to one of two replicas is interrupted while passports are removed',
  long: 40,
  short: 2,
  async run(times, fail) {
    await using primary = await startPostgres()
    const writer = await openPostgres(primary)
    await saveRecords(
      writer,
      Array.from({ length: times }, (_, id) => named(id, `Person ${id}`)),
    )
    await using proxy = await tcpProxy(primary.port)
    const source = primary.url.replace(`:${primary.port}/`, `:${proxy.port}/`)
    await using faulty = await startReplica(primary, source)
    await using other = await startReplica(primary)
    await using sql = new SQL(faulty.url, { max: 1 })
    using folder = tempFolder()
    const env = {
      DATABASE_URL: primary.url,
      DATABASE_READ_URL: `${faulty.url},${other.url}`,
      REPLICA_MAX_LAG: '1',
    }
    await using server = await tryToServe({ cwd: folder.path, database: '', env, timeout: 600_000 })
    const replicaIs = (state: string) =>
      until(async () => {
        const response = await fetch(`${server.url}/ready`)
        return ((await response.json()) as { replica: string }).replica === state
      }, `the replica to be ${state}`)

    const faults = Object.entries(FAULTS)
    for (let id = 0; id < times; id++) {
      const [name, begin] = faults[id % faults.length] as (typeof faults)[number]
      await replicaIs('ok')
      const end = await begin({ proxy, sql })
      await writer.passports.remove(id, Date.now())
      await replicaIs('lagging')
      for (let turn = 0; turn < 50; turn++) {
        const { status } = await fetch(`${server.url}/api/v1/passports/${id}`)
        if (status !== 404) fail(`${name}: the removed passport ${id} got ${status}`)
      }
      await end()
    }
    await writer.close()
    return { count: times }
  },
}
