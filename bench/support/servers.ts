import { join } from 'node:path'
import { writeCertificate } from '../../test/support/http/certificate.ts'
import { findPort } from '../../test/support/postgres/postgres-process.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { type PersistentPostgres, postgresDataSet } from '../data-sets/reused-postgres.ts'
import { BENCH_TIERS, KEY_HEADERS } from './api-key.ts'
import { cpuSecondsOf, treeCpuSeconds, waitUntilIdle } from './process-stats.ts'

/** A server under load. `cpuSeconds` returns its CPU time so far. */
export type Server = {
  url: string
  pid: number
  cpuSeconds: () => number
  [Symbol.asyncDispose](): Promise<void>
}

const ROOT = join(import.meta.dir, '../..')
const FIRST_PATH = '/api/v1/passports/1'

/** `passportd serve` with one server thread. */
export const SERVE = [process.execPath, '--smol', join(ROOT, 'src/main.ts'), 'serve', '--workers', '1']

/** Starts `passportd serve` with key, rate limit, quota, usage, metrics and explorer. */
export const startOurs = (database: string, env: Record<string, string> = {}): Promise<Server> =>
  startServer(SERVE, {
    DATABASE_URL: database,
    METRICS_PORT: '0',
    EXPLORER: 'on',
    TIERS: BENCH_TIERS,
    ...env,
  })

/** `passportd serve` on PostgreSQL. The CPU time is that of both. */
export async function startOnPostgres(postgres: PersistentPostgres, passports: number): Promise<Server> {
  const server = await startOurs(await postgresDataSet(postgres, passports))
  return { ...server, cpuSeconds: () => server.cpuSeconds() + treeCpuSeconds(postgres.pid) }
}

export async function startWithTls(database: string): Promise<Server> {
  using folder = tempFolder()
  return await startOurs(database, writeCertificate(folder.path, 'localhost'))
}

/** Starts the minimal server on the same database, with the response headers of `ours`. */
export async function startMinimal(path: string, ours: Server): Promise<Server> {
  const { headers } = await fetch(ours.url + FIRST_PATH, { headers: KEY_HEADERS })
  const constant = [...headers].filter(([name]) => !['content-length', 'connection', 'date'].includes(name))
  return startServer([process.execPath, join(ROOT, 'bench/features/v1/minimal-server.ts')], {
    DATABASE: path,
    HEADERS: JSON.stringify(Object.fromEntries(constant)),
  })
}

const LONGEST_START_MILLISECONDS = 900_000

/** Starts a program that listens on PORT. Waits until the program responds and is idle. */
export async function startServer(
  command: readonly string[],
  env: Record<string, string>,
  cwd = import.meta.dir,
): Promise<Server> {
  const port = await findPort()
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env.PATH ?? '', PORT: String(port), ...env },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  })
  // A remaining server would disturb later runs.
  process.on('exit', () => child.kill('SIGKILL'))
  const url = `${env.TLS_CERT ? 'https' : 'http'}://127.0.0.1:${port}`
  const end = Date.now() + LONGEST_START_MILLISECONDS
  while (!(await responds(url + FIRST_PATH))) {
    if (child.exitCode !== null || Date.now() > end) throw new Error(`${command.join(' ')} did not start`)
    await Bun.sleep(20)
  }
  const cpuSeconds = () => cpuSecondsOf(child.pid)
  await waitUntilIdle(cpuSeconds)
  return {
    url,
    pid: child.pid,
    cpuSeconds,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

const responds = (url: string) =>
  fetch(url, { headers: KEY_HEADERS, tls: { rejectUnauthorized: false } }).then(
    ({ ok }) => ok,
    () => false,
  )

/** Throws if the bodies of two servers differ: only equal work is comparable. */
export async function checkSameBodies(one: Server, other: Server, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const [expected, actual] = await Promise.all([one, other].map(({ url }) => bodyOf(url + path)))
    if (!Bun.deepEquals(expected, actual))
      throw new Error(`${path} differs:\n${JSON.stringify(expected)}\n${JSON.stringify(actual)}`)
  }
}

async function bodyOf(url: string): Promise<unknown> {
  const response = await fetch(url, { headers: KEY_HEADERS })
  if (response.status !== 200)
    throw new Error(`${url} responded ${response.status}: ${await response.text()}`)
  return response.json()
}
