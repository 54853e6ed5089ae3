import { SQL } from 'bun'
import type { tcpProxy } from '../../test/support/http/tcp-proxy.ts'
import type { PostgresServer } from '../../test/support/postgres/postgres.ts'
import { until } from '../../test/support/wait-until.ts'

type Target = {
  server: PostgresServer
  /** The service connects through this proxy. */
  proxy: Awaited<ReturnType<typeof tcpProxy>>
  /** A superuser's connection that bypasses the proxy. */
  sql: SQL
}

/** `begin` returns the function that ends the fault. */
type Fault = { name: string; begin(target: Target): Promise<() => unknown> }

const OURS = `from pg_stat_activity where application_name = 'passportd'`
const terminateConnections = (sql: SQL) => sql.unsafe(`select pg_terminate_backend(pid) ${OURS}`)

export const FAULTS: readonly Fault[] = [
  { name: 'killed', begin: stopped(({ server }) => server.kill()) },
  { name: 'passports locked', begin: locked('passports') },
  { name: 'stopped', begin: stopped(({ server }) => server.stop()) },
  {
    name: 'frozen',
    async begin({ server }) {
      server.freeze()
      return server.thaw
    },
  },
  { name: 'too many clients', begin: exhaustConnections },
  {
    name: 'connections ended by the server',
    async begin({ sql }) {
      await terminateConnections(sql)
      return () => undefined
    },
  },
  {
    name: 'one backend process killed',
    async begin({ sql }) {
      const [row] = await sql.unsafe(`select pid ${OURS} order by random() limit 1`)
      process.kill(row.pid, 'SIGKILL')
      return () => undefined
    },
  },
  {
    name: 'connections reset',
    async begin({ proxy }) {
      proxy.cut()
      return () => undefined
    },
  },
  {
    name: 'network hanging',
    async begin({ proxy }) {
      proxy.hang()
      return proxy.flow
    },
  },
  {
    name: 'reader connections dropped',
    async begin({ proxy, sql }) {
      const rows = await sql.unsafe(`select client_port as port ${OURS} and query like 'select%'
        and query not like '%transaction_read_only%' and query <> 'select 1' and query not like '%string_agg%'`)
      const ports = new Set<unknown>(rows.map((row: { port: number }) => row.port))
      proxy.lose((port) => ports.has(port))
      return () => undefined
    },
  },
  { name: 'event log locked', begin: locked('event_log') },
  {
    name: 'restarted at once',
    async begin({ server }) {
      await server.stop()
      await server.start()
      return () => undefined
    },
  },
  { name: 'responses locked', begin: locked('passports') },
]

/** Stops PostgreSQL. The function that ends the fault starts it again. */
function stopped(stop: (target: Target) => Promise<void>): Fault['begin'] {
  return async (target) => {
    await stop(target)
    return target.server.start
  }
}

function locked(table: string): Fault['begin'] {
  return async ({ server }) => {
    const sql = new SQL(server.url, { max: 1 })
    const holder = await sql.reserve()
    await holder`begin`
    await holder.unsafe(`lock table ${table} in access exclusive mode`)
    return async () => {
      await holder`commit`
      holder.release()
      await sql.close()
    }
  }
}

/** Closes the connections of the service, and opens as many others as the server allows. */
async function exhaustConnections({ server, sql }: Target): Promise<() => unknown> {
  const taken: SQL[] = []
  const take = async (): Promise<boolean> => {
    const one = new SQL(server.url, { max: 1 })
    const isConnected = await one`select 1`.then(
      () => true,
      () => false,
    )
    if (isConnected) taken.push(one)
    return isConnected
  }
  const takeAll = async () => {
    while ((await Promise.all(Array.from({ length: 20 }, take))).includes(true));
  }
  // Opens this connection before all others are taken.
  await sql`select 1`
  await takeAll()
  await until(async () => {
    await terminateConnections(sql)
    await takeAll()
    return (await sql.unsafe(`select ${OURS}`)).length === 0
  }, 'other clients to have all connections')
  return () => Promise.all(taken.map((one) => one.close({ timeout: 0 })))
}
