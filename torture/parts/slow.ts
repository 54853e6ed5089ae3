import { join } from 'node:path'
import { MAIN } from '../../test/support/cli.ts'
import { readAnswer } from '../http/answer.ts'
import { exchange } from '../http/caller.ts'
import { connectKeeper } from '../http/keeper.ts'
import { isRight, learnProbes, type Probe, request } from '../http/probe.ts'
import { type Caller, callSlowly, SLOW } from '../http/slow-callers.ts'
import { awaitSockets, megabytesOf, socketsOf, startCommand, startSubject } from '../http/subject.ts'
import { BRIEF, STATED } from '../http/time-limits.ts'
import type { Part } from '../part.ts'

/** A busy machine may be later than stated, a hole never ends; in milliseconds. */
const SLACK = 30_000
/** What slow callers may cost: while they are there (64 MiB of it is what is kept for them), and afterwards. */
const MOST_MEGABYTES = 300
const LEFT_MEGABYTES = 100
/** Who does not read costs the system some megabytes: it has no room for thousands of these. */
const MOST_UNREAD = 40
/** Fewer are waited for briefly. */
const MANY = 1000

const folder = join(import.meta.dir, '../http')
const impatient = () => [process.execPath, '--smol', MAIN, 'serve', '--demo']

export const slow: Part = {
  name: 'slow',
  what: 'slow and half-open callers, while another is served',
  long: 4000,
  short: 80,
  async run(times, tell) {
    const limits = times < MANY ? BRIEF : STATED
    await using subject = await (times < MANY ? startCommand(impatient) : startSubject())
    const { port } = subject
    const probes = await learnProbes(subject)
    const sockets = socketsOf(subject)
    const memory = megabytesOf(subject)
    let lost = 0
    let isOver = false
    let served = 0
    let most = 0

    function lose(reason: string): void {
      lost++
      if (lost <= 20) tell(reason)
    }

    /** One that keeps its connection, and one that comes anew and finishes early. */
    async function beServed(): Promise<void> {
      let keeper = await connectKeeper(port)
      for (let at = 0; !isOver; at++) {
        const probe = probes[at % probes.length] as Probe
        // A busy machine may have let it rest for longer than a short run allows.
        if (keeper.isGone()) keeper = await connectKeeper(port)
        const kept = await keeper.ask(request(probe.target))
        if (!kept || !isRight(kept, probe)) lose(`${probe.target} is not answered, or wrongly`)
        const early = readAnswer(await exchange(port, [Buffer.from(request(probe.target))]), 0, 'GET')
        if (!early || !isRight(early, probe))
          lose(`${probe.target} is not answered to one that finished early`)
        most = Math.max(most, megabytesOf(subject))
        served += 2
        await Bun.sleep(5)
      }
      keeper.leave()
    }

    async function watch({ kind, ended }: Caller): Promise<void> {
      const limit = limits[SLOW[kind]?.limit ?? 'idle']
      const late = Bun.sleep(limit + SLACK).then(() => 'late' as const)
      if ((await Promise.race([ended, late])) === 'late')
        lose(`one that is ${kind} is still there after ${limit + SLACK} ms`)
    }

    const serving = beServed()
    await using _ = await startStopped(port, Math.min(MOST_UNREAD, times / 10))
    const all = Object.keys(SLOW)
    const reading = all.filter((kind) => SLOW[kind]?.reads !== false)
    const watched: Promise<void>[] = []
    const callers: Caller[] = []
    for (let at = 0; at < times; at++) {
      const kinds = at < MOST_UNREAD * 4 ? all : reading
      const caller = await callSlowly(port, kinds[at % kinds.length] as string)
      callers.push(caller)
      watched.push(watch(caller))
    }
    await Promise.all(watched)
    const ended = performance.now()
    while (socketsOf(subject) > sockets + 2 && performance.now() - ended < SLACK) await Bun.sleep(50)
    while (megabytesOf(subject) > memory + LEFT_MEGABYTES && performance.now() - ended < limits.idle)
      await Bun.sleep(50)
    isOver = true
    await serving
    for (const caller of callers) caller.leave()
    const open = (await awaitSockets(subject, sockets, SLACK)) - sockets
    if (open > 0) lose(`${open} sockets are still open`)
    const [peak, left] = [most - memory, megabytesOf(subject) - memory]
    if (peak > MOST_MEGABYTES) lose(`they cost ${peak.toFixed(0)} MB`)
    if (left > LEFT_MEGABYTES) lose(`${left.toFixed(0)} MB are left of what they cost`)
    if (served === 0) lose('nobody else was served')
    return {
      count: times,
      lost,
      note: `${served} others served; ${peak.toFixed(0)} MB at most, ${left.toFixed(0)} MB after`,
    }
  },
}

/** Callers in a process that is stopped: the system takes what it can for them, and nobody reads it. */
async function startStopped(port: number, count: number): Promise<AsyncDisposable> {
  const child = Bun.spawn(
    [process.execPath, join(folder, 'stopped-callers.ts'), `${port}`, `${Math.floor(count)}`],
    {
      stdout: 'pipe',
      stderr: 'inherit',
    },
  )
  for await (const _ of child.stdout) break
  child.kill('SIGSTOP')
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
