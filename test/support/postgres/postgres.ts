import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { SQL } from 'bun'
import { until } from '../wait-until.ts'
import { copyOwned, guardedFolder, writeOwned } from './postgres-files.ts'
import { getProgram, makeCluster, PASSWORD } from './postgres-initdb.ts'
import { findPort, launch } from './postgres-process.ts'

export type PostgresServer = Awaited<ReturnType<typeof startIn>>

type Settings = Record<string, string | number>

/** Commits survive a crash of the server, but not of the machine. */
const SETTINGS: Settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  io_method: 'sync',
  jit: 'off',
  wal_init_zero: 'off',
  shared_buffers: '32MB',
  max_connections: 200,
  wal_level: 'replica',
  wal_keep_size: '128MB',
  wal_retrieve_retry_interval: '100ms',
}

export function startPostgres({ settings = {} }: { settings?: Settings } = {}): Promise<PostgresServer> {
  return startIn(async (data) => {
    await makeCluster(data)
    return settings
  })
}

/** A streaming standby that serves queries. It replicates from `source`, which may be a proxy of the primary. */
export async function startReplica(primary: PostgresServer, source = primary.url): Promise<PostgresServer> {
  await using sql = new SQL(primary.url, { max: 1 })
  const name = `replica_${randomName()}`
  const replica = await startIn(async (data) => {
    await copyCluster(sql, primary.data, data)
    return { primary_conninfo: `${source}?application_name=${name}` }
  })
  await until(async () => {
    const rows =
      await sql`select from pg_stat_replication where application_name = ${name} and state = 'streaming'`
    return rows.length === 1
  }, 'the replica to stream')
  return replica
}

/** Copies the files of a running server for a standby. `sql` has one connection to it. */
export async function copyCluster(sql: SQL, from: string, to: string): Promise<void> {
  await sql`select pg_backup_start('standby', fast => true)`
  copyOwned(from, to, isNotForReplicas)
  const [stopped] = await sql`select labelfile from pg_backup_stop(wait_for_archive => false)`
  writeOwned(join(to, 'backup_label'), stopped.labelfile)
  writeOwned(join(to, 'standby.signal'), '')
}

/** Leaves out files of the running server, as pg_basebackup does. */
function isNotForReplicas(path: string): boolean {
  if (/^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*)$/.test(basename(path))) return true
  return /^pg_(wal|replslot|dynshmem|notify|serial|snapshots|stat_tmp|subtrans)$/.test(
    basename(dirname(path)),
  )
}

/** Creates a folder, and starts a server with the settings that `fill` returns. */
async function startIn(fill: (data: string) => Promise<Settings>) {
  using made = new DisposableStack()
  const { path } = made.use(guardedFolder())
  const data = join(path, 'data')
  const settings = { ...SETTINGS, ...(await fill(data)) }
  const port = await findPort()
  const args = ['-D', data, '-p', `${port}`]
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
  const start = () => launch(getProgram('postgres'), args, path, data)

  let running: Awaited<ReturnType<typeof launch>> | undefined = await start()
  const kept = made.move()
  async function end(how: (server: NonNullable<typeof running>) => Promise<void>) {
    if (running) await how(running)
    running = undefined
  }
  return {
    /** The URL of the database `postgres`, with the superuser. */
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    port,
    data,
    /** Starts again after `stop` or `kill`, with the same port and data. */
    async start() {
      running ??= await start()
    },
    /** Disconnects all clients first. */
    stop: () => end((server) => server.stop()),
    kill: () => end((server) => server.kill()),
    /** Stops all responses; connections stay open, and new ones are accepted. */
    freeze: () => running?.freeze(),
    thaw: () => running?.thaw(),
    async [Symbol.asyncDispose]() {
      await end((server) => server.kill())
      kept.dispose()
    },
  }
}

/** The server of TEST_POSTGRES_URL, or a new one for all tests of this process. */
const GIVEN = process.env.TEST_POSTGRES_URL
let shared: Promise<{ url: string; sql: SQL }> | undefined

async function openShared() {
  const url = GIVEN ?? (await startPostgres({ settings: { autovacuum: 'off' } })).url
  return { url, sql: new SQL(url, { max: 1 }) }
}

type TestDatabase = { url: string; name: string } & AsyncDisposable

/** A new database, dropped after the block: empty, or a copy of a template. */
export async function testDatabase({ template = 'template0' } = {}): Promise<TestDatabase> {
  shared ??= openShared()
  const { url: serverUrl, sql } = await shared
  const name = `test_${randomName()}`
  // This strategy is twice as fast, but only without fsync.
  const strategy = GIVEN ? '' : 'strategy file_copy'
  await sql.unsafe(`create database ${name} template ${template} ${strategy}`)
  const url = new URL(serverUrl)
  url.pathname = name
  return {
    url: url.href,
    name,
    async [Symbol.asyncDispose]() {
      const dropped = drop(sql, name)
      // A server that the tests started is deleted with its databases, so there is no need to wait.
      if (GIVEN) await dropped
      else dropped.catch(() => undefined)
    },
  }
}

async function drop(sql: SQL, name: string): Promise<void> {
  // `drop database` polls for open sessions every 100 ms only. A session that is starting has no database yet.
  await until(async () => {
    const there = await sql`select case when datname = ${name} then pg_terminate_backend(pid) end
      from pg_stat_activity
      where backend_type = 'client backend' and (datname = ${name} or state = 'starting')`
    return there.length === 0
  }, `everybody to leave ${name}`)
  await sql.unsafe(`drop database if exists ${name} with (force)`)
}

const randomName = () => randomBytes(8).toString('hex')
