import { setTimeout as sleep } from 'node:timers/promises'
import { DRAIN_MILLISECONDS } from '../api/open-port.ts'
import type { UsageReport } from '../api/usage.ts'
import { CommandError } from '../domain/errors.ts'
import type { Log } from '../log.ts'
import type { CrewMetrics } from './crew-metrics.ts'
import type { Door } from './doors.ts'
import { type ParentMessage, PULSE_MILLISECONDS, type WorkerMessage } from './worker.ts'

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

type Crew = {
  /** When all of them have. */
  ended: Promise<unknown>
  /** Has a new worker take the place of each, one after the other; tells whether all could. */
  renew(): Promise<boolean>
}

/** Waits until a worker listens at each door, and replaces each that dies from then on. If one cannot start, none stays. */
export async function startWorkers(doors: readonly Door[], order: Order): Promise<Crew> {
  const failed = new AbortController()
  const end = AbortSignal.any([order.end, failed.signal])
  end.addEventListener('abort', () => {
    for (const door of doors) door.leave()
  })
  const posts = doors.map((door) => createPost(door, { ...order, end }))
  const reasons = await Promise.all(posts.map(({ begun }) => begun))
  const reason = reasons.find((each) => each !== undefined)
  if (reason !== undefined && !end.aborted) {
    failed.abort()
    await Promise.all(posts.map((post) => post.ended()))
    throw new CommandError(`A worker could not start: ${reason}`)
  }
  return {
    ended: Promise.all(posts.map((post) => post.keep())),
    async renew() {
      for (const post of posts) if (!(await post.renew())) return false
      return true
    },
  }
}

const FIRST_PAUSE_MILLISECONDS = 100
const LONGEST_PAUSE_MILLISECONDS = 5000

/** A worker that lived this long was well: its successor starts at once. */
const WELL_AFTER_MILLISECONDS = 10_000

/** A door, and the worker at it. */
function createPost(door: Door, order: Order) {
  const { end, log } = order
  let worker = startWorker(door, order)
  /** One that is to take its place. */
  let successor: Worker | undefined

  async function keep(): Promise<void> {
    let pause = 0
    while (!end.aborted) {
      const current = worker
      const reason = await current.ended
      if (end.aborted) break
      if (worker !== current) continue
      if (performance.now() - current.startedAt >= WELL_AFTER_MILLISECONDS) pause = 0
      // Whoever comes meanwhile can wait for a successor that starts at once, or may listen already.
      if (pause > 0 && successor === undefined) door.shut()
      const soon = pause === 0 ? 'at once' : `in ${pause / 1000} s`
      log.error(`A worker is replaced ${soon}: ${reason}`, { pid: current.pid })
      await sleep(pause, undefined, { signal: end }).catch(() => undefined)
      if (end.aborted) break
      pause = Math.min(Math.max(pause * 2, FIRST_PAUSE_MILLISECONDS), LONGEST_PAUSE_MILLISECONDS)
      if (worker === current) worker = startWorker(door, order)
    }
    await ended()
  }

  async function ended(): Promise<void> {
    await Promise.all([worker.ended, successor?.ended])
  }

  async function renew(): Promise<boolean> {
    // The number of its door may be another file's by now.
    if (end.aborted) return false
    const next = startWorker(door, order)
    successor = next
    const reason = await next.begun
    if (end.aborted) return false
    if (reason !== undefined) {
      successor = undefined
      log.error(`A new worker could not start, the old one stays: ${reason}`)
      return false
    }
    const former = worker
    worker = next
    // Until it has ended there are two of them here, as is to be known at the end.
    successor = former
    former.end()
    await former.ended
    successor = undefined
    return true
  }

  return { begun: worker.begun, keep, renew, ended }
}

/** More than a worker needs that gives its requests all the time they have. */
const LONGEST_END_MILLISECONDS = DRAIN_MILLISECONDS + 1000

/** A compiled program is the executable itself; else Bun is, and is told what to run. */
const SELF = Bun.isStandaloneExecutable
  ? [process.execPath]
  : [process.execPath, ...process.execArgv, Bun.main]

/** A worker that is not heard of for so many pulses hangs. They are counted here: while this process hangs, none is missed. */
const MISSED_PULSES = 20
/** Until it is heard of for the first time it may take longer: a busy machine starts programs slowly. */
const MISSED_AT_START = 120

type Worker = {
  pid: number
  startedAt: number
  /** Resolves when it listens, or to the reason why it never will. */
  begun: Promise<string | undefined>
  /** Resolves to the reason. */
  ended: Promise<string>
  end(): void
}

function startWorker(door: Door, order: Order): Worker {
  try {
    return spawnWorker(door, order)
  } catch (error) {
    // No memory, or the program is just being replaced: it may well be possible a little later.
    const ended = Promise.resolve((error as Error).message)
    return { pid: 0, startedAt: performance.now(), begun: ended, ended, end: () => undefined }
  }
}

function spawnWorker(door: Door, { args, env, end, keepUsage, metrics }: Order): Worker {
  const listens = Promise.withResolvers<undefined>()
  const disconnected = Promise.withResolvers<void>()
  let failure: string | undefined
  let isConnected = true
  let missed = 0
  let allowed = MISSED_AT_START
  const child = Bun.spawn([...SELF, 'serve', ...args, '--worker'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', door.fd],
    // Maps arrive as maps.
    serialization: 'advanced',
    ipc(message: WorkerMessage, { pid }) {
      missed = 0
      allowed = MISSED_PULSES
      if (message.kind === 'listens') listens.resolve(undefined)
      else if (message.kind === 'failed') failure = message.reason
      else if (message.kind === 'drained') child.disconnect()
      else if (message.kind === 'metrics') metrics?.note(pid, message.families)
      else if (message.kind === 'usage') keepUsage(message)
    },
    onDisconnect() {
      isConnected = false
      disconnected.resolve()
    },
  })
  const watch = setInterval(() => {
    missed++
    if (missed !== allowed) return
    failure = 'it did nothing any more.'
    child.kill('SIGKILL')
  }, PULSE_MILLISECONDS)

  let forced: Timer | undefined
  function askToEnd(): void {
    if (forced !== undefined || child.killed) return
    // One that has let go already is about to end.
    if (isConnected) child.send('end' satisfies ParentMessage)
    forced = setTimeout(() => child.kill('SIGKILL'), LONGEST_END_MILLISECONDS)
  }
  if (end.aborted) askToEnd()
  else end.addEventListener('abort', askToEnd)

  async function life(): Promise<string> {
    // The last message may come after the exit; it never comes after the disconnect.
    await Promise.all([child.exited, disconnected.promise])
    metrics?.end(child.pid)
    clearInterval(watch)
    clearTimeout(forced)
    end.removeEventListener('abort', askToEnd)
    return failure ?? `it ended with ${child.signalCode ?? `exit code ${child.exitCode}`}.`
  }

  const ended = life()
  return {
    pid: child.pid,
    startedAt: performance.now(),
    begun: Promise.race([listens.promise, ended]),
    ended,
    end: askToEnd,
  }
}
