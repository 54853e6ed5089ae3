import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { childrenOf } from '../process-info.ts'
import { until } from '../wait-until.ts'
import { OWNER } from './postgres-files.ts'

export async function runProgram(file: string, args: readonly string[], cwd: string): Promise<void> {
  const log = join(cwd, 'log')
  const code = await exitOf(spawnInto(log, file, args, cwd))
  if (code !== 0) throw new Error(`${file} failed: ${readFileSync(log, 'utf8')}`)
}

/** A running server. Its first process, the postmaster, is our child. */
export async function launch(file: string, args: readonly string[], cwd: string, data: string) {
  const log = join(cwd, 'log')
  const child = spawnInto(log, file, args, cwd)
  const exited = exitOf(child)
  try {
    await until(() => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error('The server process has ended.')
      return readStatus(data) === 'ready'
    }, 'it to be ready')
  } catch (cause) {
    child.kill('SIGKILL')
    throw new Error(`PostgreSQL did not start: ${readFileSync(log, 'utf8')}`, { cause })
  }
  // A shared server must not keep the test process alive.
  child.unref()

  const postmaster = child.pid as number

  return {
    pid: postmaster,
    async stop() {
      child.ref()
      child.kill('SIGINT')
      await exited
    },
    /** Simulates a crash. The postmaster ends last and is not killed, so that it frees the shared memory. */
    async kill() {
      child.ref()
      child.kill('SIGSTOP')
      signal('SIGKILL', childrenOf(postmaster))
      child.kill('SIGQUIT')
      child.kill('SIGCONT')
      await exited
    },
    /** Pauses the postmaster before its children, because it would start others. */
    freeze: () => signal('SIGSTOP', [postmaster, ...childrenOf(postmaster)]),
    thaw: () => signal('SIGCONT', [...childrenOf(postmaster), postmaster]),
  }
}

/** Finds a free port below the ephemeral range: a client that retries a closed ephemeral port may connect to itself. */
export async function findPort(): Promise<number> {
  const port = randomInt(15_000, 32_000)
  const server = createServer()
  const isFree = await new Promise<boolean>((done) => {
    server.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true))
  })
  if (!isFree) return findPort()
  await new Promise((done) => server.close(done))
  return port
}

/** The program gets its own process group, so that Ctrl+C stops only the tests. */
function spawnInto(log: string, file: string, args: readonly string[], cwd: string): ChildProcess {
  const output = openSync(log, 'a')
  try {
    return spawn(file, args, { ...OWNER, cwd, env: {}, detached: true, stdio: ['ignore', output, output] })
  } finally {
    closeSync(output)
  }
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((done, fail) => child.once('exit', done).once('error', fail))
}

function readStatus(data: string): string | undefined {
  const path = join(data, 'postmaster.pid')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n')[7]?.trim() : undefined
}

/** Processes that have ended are skipped. */
export function signal(name: NodeJS.Signals, pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ESRCH') throw error
    }
}
