import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openStore } from '../../src/core/store/open.ts'
import { own } from '../../test/support/postgres/postgres-files.ts'
import { getProgram, makeCluster, PASSWORD } from '../../test/support/postgres/postgres-initdb.ts'
import { findPort, launch } from '../../test/support/postgres/postgres-process.ts'
import { createKey } from '../support/api-key.ts'
import { DATA_FOLDER, fill, SCHEMA } from './data-set.ts'

/** Stops PostgreSQL when this process ends, even by SIGKILL: the input of `cat` ends with the process. */
const GUARD = 'cat; kill -INT $(head -n 1 "$1/postmaster.pid")'

const POSTGRES_FOLDER = join(DATA_FOLDER, 'postgres')

/** Typical settings for a small machine. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '1GB',
  max_wal_size: '4GB',
  max_connections: '200',
  synchronous_commit: 'off',
}

/** Starts a PostgreSQL server whose data remains for the next run. */
export async function startPersistentPostgres() {
  const data = join(POSTGRES_FOLDER, 'data')
  mkdirSync(POSTGRES_FOLDER, { recursive: true })
  own(POSTGRES_FOLDER)
  if (!existsSync(data)) await makeCluster(data)
  return startServer(data, SETTINGS)
}

async function startServer(data: string, settings: Record<string, string>) {
  const port = await findPort()
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const args = ['-D', data, '-p', String(port), ...given]
  const running = await launch(getProgram('postgres'), args, POSTGRES_FOLDER, data)
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', data], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  return {
    pid: running.pid,
    data,
    urlOf: (database: string) => `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/${database}`,
    async stop() {
      await running.stop()
      guard.stdin?.end()
    },
  }
}

export type PersistentPostgres = Awaited<ReturnType<typeof startServer>>

/** Returns the URL of a database. Creates it if needed. */
async function openDatabase(server: PersistentPostgres, name: string): Promise<string> {
  await using sql = new SQL(server.urlOf('postgres'), { max: 1 })
  const [known] = await sql`select 1 from pg_database where datname = ${name}`
  if (!known) await sql.unsafe(`create database ${name}`)
  return server.urlOf(name)
}

/** Returns the URL of a PostgreSQL database with this many passports and the API key of the bench. Creates it if needed. */
export async function postgresDataSet(server: PersistentPostgres, passports: number): Promise<string> {
  const url = await openDatabase(server, `ours_${passports}_${SCHEMA}`)
  const store = await openStore({ engine: 'postgres', url })
  if ((await store.keys.list()).length === 0) {
    await fill(store, passports)
    await createKey(store)
  }
  await store.database.close()
  return url
}
