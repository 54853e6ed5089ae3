import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { makeCluster, PASSWORD } from '../../test/support/postgres-cluster.ts'
import { own } from '../../test/support/postgres-files.ts'
import { findPort, launch } from '../../test/support/postgres-process.ts'
import { getProgram } from '../../test/support/postgres-programs.ts'
import { DATA_FOLDER } from '../data-set.ts'
import { SETTINGS } from '../postgres-set.ts'

/** Ends the server when our process is gone, however it went: its input ends with us. The data stays. */
const GUARD = 'cat; kill -INT $(head -n 1 "$1/postmaster.pid")'

export const POSTGRES_FOLDER = join(DATA_FOLDER, 'postgres')

/** A PostgreSQL whose data is kept for the next run, on the disk. */
export async function startKeptPostgres() {
  const data = join(POSTGRES_FOLDER, 'data')
  mkdirSync(POSTGRES_FOLDER, { recursive: true })
  own(POSTGRES_FOLDER)
  if (!existsSync(data)) await makeCluster(data)
  const port = await findPort()
  const args = ['-D', data, '-p', `${port}`]
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...SETTINGS }
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
  const running = await launch(getProgram('postgres'), args, POSTGRES_FOLDER, data)
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', data], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  return {
    pid: running.pid,
    /** The folder of the data. */
    data,
    urlOf: (database: string) => `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/${database}`,
    async [Symbol.asyncDispose]() {
      await running.stop()
      guard.stdin?.end()
    },
  }
}

export type KeptPostgres = Awaited<ReturnType<typeof startKeptPostgres>>

/** The address of a database, which is made where it is missing. */
export async function databaseOf(server: KeptPostgres, name: string): Promise<string> {
  await using sql = new SQL(server.urlOf('postgres'), { max: 1 })
  const [known] = await sql`select 1 from pg_database where datname = ${name}`
  if (!known) await sql.unsafe(`create database ${name}`)
  return server.urlOf(name)
}
