import { processorTime } from '../../bench/process-figures.ts'
import { COMMAND } from '../../test/support/cli.ts'
import { connectKeeper, type Keeper } from '../http/keeper.ts'
import { isRight, learnProbes, type Probe, request } from '../http/probe.ts'
import { awaitSockets, socketsOf, startCommand, startSubject } from '../http/subject.ts'
import type { Part } from '../part.ts'

const AT_ONCE = 1000
const ROUNDS = 10

/** As many open files as a process gets in the second half, and the connections that leaves. */
const FILES = 256
const ROOM = 128
const CROWD = FILES + 50

type Tell = (line: string) => void
type Half = { count: number; lost: number }

export const connections: Part = {
  name: 'connections',
  what: 'requests of a thousand connections at once, and of more than there are open files for',
  long: 20 * AT_ONCE * ROUNDS,
  short: 4 * ROOM,
  async run(times, tell) {
    const wide = await askAtOnce(Math.min(AT_ONCE, Math.ceil(times / 2 / ROUNDS)), times / 2, tell)
    const narrow = await askWithFewFiles(times / 2, tell)
    return { count: wide.count + narrow.count, lost: wide.lost + narrow.lost }
  },
}

async function askAtOnce(size: number, times: number, tell: Tell): Promise<Half> {
  await using subject = await startSubject()
  const probes = await learnProbes(subject)
  const before = socketsOf(subject)
  const callers = await Promise.all(Array.from({ length: size }, () => connectKeeper(subject.port)))
  const half = await askAll(callers, probes, times, tell)
  for (const caller of callers) caller.leave()
  const open = (await awaitSockets(subject, before, 10_000)) - before
  if (open > 0) tell(`${open} sockets are still open`)
  return { count: half.count, lost: half.lost + Math.max(0, open) }
}

/** All of them at once, again and again. */
async function askAll(
  callers: readonly Keeper[],
  probes: readonly Probe[],
  times: number,
  tell: Tell,
): Promise<Half> {
  let count = 0
  let lost = 0
  while (count < times) {
    const right = await Promise.all(
      callers.map(async (caller, at) => {
        const probe = probes[(at + count) % probes.length] as Probe
        const answer = await caller.ask(request(probe.target))
        return answer !== undefined && isRight(answer, probe)
      }),
    )
    const wrong = right.filter((is) => !is).length
    if (wrong > 0) tell(`${wrong} of ${callers.length} were not answered, or wrongly`)
    lost += wrong
    count += callers.length
    if (wrong === callers.length) break
  }
  return { count, lost }
}

async function askWithFewFiles(times: number, tell: Tell): Promise<Half> {
  await using subject = await startCommand(() => [
    'sh',
    '-c',
    `ulimit -n ${FILES}; exec "$@"`,
    'sh',
    ...COMMAND,
    'serve',
    '--demo',
  ])
  const probes = await learnProbes(subject)
  const faults: string[] = []
  const first = await crowd(subject.port, CROWD)
  if (first.length < ROOM / 2 || first.length > ROOM) faults.push(`it accepts ${first.length} of ${CROWD}`)
  const half = await askAll(first, probes, times, tell)
  const spent = processorTime(subject.pid)
  await Bun.sleep(1000)
  if (processorTime(subject.pid) - spent > 0.5) faults.push('it spins while it is full')
  for (const caller of first) caller.leave()
  for (let looks = 0; looks < 500 && !subject.log().includes('There is room'); looks++) await Bun.sleep(20)
  const told = subject.log().match(/connections are in use/g)?.length
  if (told !== 1) faults.push(`it is told ${told} times that it is full: ${subject.log()}`)
  const second = await crowd(subject.port, ROOM / 2)
  if (second.length < ROOM / 2) faults.push(`it accepts ${second.length} when there is room again`)
  const again = await askAll(second, probes, second.length, tell)
  for (const caller of second) caller.leave()
  for (const fault of faults) tell(fault)
  return { count: half.count + again.count, lost: half.lost + again.lost + faults.length }
}

/** Those of so many callers that are let in: all that are not, are told at once. */
async function crowd(port: number, size: number): Promise<Keeper[]> {
  const callers = await Promise.all(
    Array.from({ length: size }, () => connectKeeper(port).catch(() => undefined)),
  )
  const inside = await Promise.all(
    callers.map(async (caller) => ((await caller?.ask(request('/health'))) ? caller : undefined)),
  )
  return inside.filter((caller) => caller !== undefined)
}
