import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { memoryOf } from '../../bench/process-figures.ts'
import { readUrl, serveProcess } from '../../test/support/cli.ts'
import { tempFolder } from '../../test/support/temp.ts'

export type Subject = {
  pid: number
  port: number
  url: string
  /** What it wrote to its log so far. */
  log(): string
} & AsyncDisposable

const NO_LIMITS = 'anonymous=unlimited, explorer=unlimited'

/** A server of its own that serves a thousand invented people and counts nobody's requests. It is gone after the block. */
export async function startSubject(): Promise<Subject> {
  const folder = tempFolder()
  const env = { DATABASE_URL: `sqlite:${join(folder.path, 'torture.db')}`, TIERS: NO_LIMITS }
  const server = await serveProcess(['--demo'], { cwd: folder.path, env })
  return watch(server.child, server.url, folder)
}

/** One that was started in another way. */
export async function startCommand(command: (database: string) => string[]): Promise<Subject> {
  const folder = tempFolder()
  const database = `sqlite:${join(folder.path, 'torture.db')}`
  const child = Bun.spawn(command(database), {
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? '', DATABASE_URL: database, TIERS: NO_LIMITS, PORT: '0' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  return watch(child, (await readUrl(child.stdout)) ?? '', folder)
}

function watch(
  child: Bun.Subprocess<'ignore' | Uint8Array, 'pipe', 'pipe'>,
  url: string,
  folder: Disposable,
): Subject {
  let log = ''
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stderr) log += decoder.decode(chunk, { stream: true })
  })()
  return {
    pid: child.pid,
    port: Number(new URL(url).port),
    url,
    log: () => log,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
      await reading
      folder[Symbol.dispose]()
    },
  }
}

export const megabytesOf = ({ pid }: Subject) => memoryOf(pid).now

/** Sockets that it has open, of every kind. */
export function socketsOf({ pid }: Subject): number {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).filter((fd) => {
    try {
      return readlinkSync(join(folder, fd)).startsWith('socket:')
    } catch {
      return false
    }
  }).length
}

/** Waits until it has no more sockets open than that; gives back how many it has. */
export async function awaitSockets(subject: Subject, count: number, milliseconds: number): Promise<number> {
  const end = performance.now() + milliseconds
  while (socketsOf(subject) > count && performance.now() < end) await Bun.sleep(100)
  return socketsOf(subject)
}
