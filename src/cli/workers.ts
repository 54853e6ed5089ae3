import { setTimeout as sleep } from 'node:timers/promises'
import type { UsageReport } from '../http/usage.ts'
import type { Log } from '../log.ts'
import type { CrewMetrics } from './crew-metrics.ts'
import { DRAIN_MILLISECONDS } from './listener.ts'
import { CommandError, UsageError } from './usage.ts'
import type { ParentMessage, WorkerMessage } from './worker.ts'

type Order = {
  /** For `passportd serve`, as each worker is to be run. */
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** Lets the workers finish their requests and end. */
  end: AbortSignal
  log: Log
  keepUsage: (report: UsageReport) => void
  /** Where it goes what they count of requests, if anywhere. */
  metrics?: CrewMetrics | undefined
}

/** Waits until `count` workers listen, and replaces each that dies from then on. If one cannot start, none stays. */
export async function startWorkers(count: number, order: Order): Promise<{ ended: Promise<unknown> }> {
  const failed = new AbortController()
  const end = AbortSignal.any([order.end, failed.signal])
  const first = Array.from({ length: count }, () => startWorker({ ...order, end }))
  const reasons = await Promise.all(first.map(({ listens, ended }) => Promise.race([listens, ended])))
  const reason = reasons.find((each) => each !== undefined)
  if (reason !== undefined && !end.aborted) {
    failed.abort()
    await Promise.all(first.map(({ ended }) => ended))
    throw new CommandError(`A worker could not start: ${reason}`)
  }
  return { ended: Promise.all(first.map((worker) => keep(worker, order))) }
}

const MOST_WORKERS = 64

export function parseWorkers(text: string, platform: NodeJS.Platform): number {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > MOST_WORKERS)
    throw new UsageError(`--workers must be a whole number from 1 to ${MOST_WORKERS}, got "${text}".`)
  // Elsewhere one of the sockets on a port gets every connection.
  if (count > 1 && platform !== 'linux')
    throw new CommandError(`--workers ${count} needs Linux, which shares connections out: leave it away.`)
  return count
}

const FIRST_PAUSE_MILLISECONDS = 100
const LONGEST_PAUSE_MILLISECONDS = 5000

/** A worker that lived this long was well: its successor starts at once. */
const WELL_AFTER_MILLISECONDS = 10_000

async function keep(worker: Worker, order: Order): Promise<void> {
  const { end, log } = order
  let pause = 0
  for (let current = worker; ; current = startWorker(order)) {
    const reason = await current.ended
    if (end.aborted) return
    if (performance.now() - current.startedAt >= WELL_AFTER_MILLISECONDS) pause = 0
    log.error(`A worker is replaced: ${reason}`, { pid: current.pid })
    await sleep(pause, undefined, { signal: end }).catch(() => undefined)
    if (end.aborted) return
    pause = Math.min(Math.max(pause * 2, FIRST_PAUSE_MILLISECONDS), LONGEST_PAUSE_MILLISECONDS)
  }
}

/** More than a worker needs that gives its requests all the time they have. */
const LONGEST_END_MILLISECONDS = DRAIN_MILLISECONDS + 1000

/** A compiled program is the executable itself; else Bun is, and is told what to run. */
const SELF = Bun.isStandaloneExecutable
  ? [process.execPath]
  : [process.execPath, ...process.execArgv, Bun.main]

type Worker = ReturnType<typeof spawnWorker>

function startWorker(order: Order): Worker {
  try {
    return spawnWorker(order)
  } catch (error) {
    // No memory, or the program is just being replaced: it may well be possible a little later.
    const ended = Promise.resolve((error as Error).message)
    return { pid: 0, startedAt: performance.now(), listens: new Promise(() => {}), ended }
  }
}

function spawnWorker({ args, env, end, keepUsage, metrics }: Order) {
  const listens = Promise.withResolvers<undefined>()
  const disconnected = Promise.withResolvers<void>()
  let failure: string | undefined
  const child = Bun.spawn([...SELF, 'serve', ...args, '--worker'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
    // Maps arrive as maps.
    serialization: 'advanced',
    ipc(message: WorkerMessage, { pid }) {
      if (message.kind === 'listens') listens.resolve(undefined)
      else if (message.kind === 'failed') failure = message.reason
      else if (message.kind === 'drained') child.disconnect()
      else if (message.kind === 'metrics') metrics?.note(pid, message.families)
      else keepUsage(message)
    },
    onDisconnect: () => disconnected.resolve(),
  })

  let forced: Timer | undefined
  const askToEnd = () => {
    child.send('end' satisfies ParentMessage)
    forced = setTimeout(() => child.kill('SIGKILL'), LONGEST_END_MILLISECONDS)
  }
  if (end.aborted) askToEnd()
  else end.addEventListener('abort', askToEnd)

  /** Resolves to the reason. */
  async function life(): Promise<string> {
    // The last message may come after the exit; it never comes after the disconnect.
    await Promise.all([child.exited, disconnected.promise])
    metrics?.end(child.pid)
    clearTimeout(forced)
    end.removeEventListener('abort', askToEnd)
    return failure ?? `it ended with ${child.signalCode ?? `exit code ${child.exitCode}`}.`
  }

  return { pid: child.pid, startedAt: performance.now(), listens: listens.promise, ended: life() }
}
