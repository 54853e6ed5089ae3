import { createRandom, type Random } from '../../src/ingest/demo/random.ts'
import { exchange } from '../http/caller.ts'
import { checkAnswers } from '../http/check.ts'
import { createAnswered, createWild, ENDING } from '../http/garbage.ts'
import { learnProbes, request } from '../http/probe.ts'
import { awaitSockets, megabytesOf, socketsOf, startSubject } from '../http/subject.ts'
import type { Part } from '../part.ts'

const CALLERS = 24
/** How much more memory the last tenth may take than the first; in MB. */
const FLAT = 48
const SEED = 20260131

export const garbage: Part = {
  name: 'garbage',
  what: 'generated garbage on raw sockets, right requests in between',
  long: 1_000_000,
  short: 1500,
  async run(times, tell) {
    await using subject = await startSubject()
    const probes = await learnProbes(subject)
    const before = socketsOf(subject)
    const { longTarget, manyFields, largeFields, numbers, ...others } = createAnswered(probes)
    const large = [longTarget, manyFields, largeFields, numbers]
    const small = Object.values(others)
    const closing = [...Object.values(ENDING), ...Object.values(createWild(probes))]
    const memory: number[] = []
    let count = 0
    let lost = 0

    function fail(reason: unknown, seed: number): void {
      lost++
      if (lost <= 20) tell(`seed ${seed}: ${reason instanceof Error ? reason.message : reason}`)
    }

    async function call(seed: number): Promise<void> {
      const random = createRandom(seed)
      const length = random.chance(0.5) ? random.whole(0, 8) : random.whole(30, 90)
      const items = Array.from({ length }, (_, at) =>
        random.pick(random.chance(0.03) ? large : small)(random, `${seed}-${at}`),
      )
      const end = random.pick(closing)(random, '')
      const after = request('/health', `X-Request-Id: ${seed}-after\r\n`)
      const text = [...items, end].map((item) => item.text).join('') + (random.chance(0.5) ? after : '')
      const bytes = await exchange(subject.port, cut(random, Buffer.from(text, 'latin1')))
      checkAnswers(bytes, items, end)
      count += items.length + 1
    }

    async function lane(first: number): Promise<void> {
      for (let seed = first; count < times; seed += CALLERS) {
        await call(seed).catch((reason) => fail(reason, seed))
        if (lost > 1000) return
        if (count >= (memory.length * times) / 100) memory.push(megabytesOf(subject))
      }
    }

    await Promise.all(Array.from({ length: CALLERS }, (_, at) => lane(SEED + at)))
    const open = await awaitSockets(subject, before, 5000)
    if (open > before) fail(`${open - before} sockets are still open`, 0)
    const growth = mean(memory.slice(-10)) - mean(memory.slice(0, 10))
    if (growth > FLAT) fail(`memory grew by ${growth.toFixed(0)} MB`, 0)
    if (subject.log() !== '') fail(`the log says ${subject.log().slice(0, 500)}`, 0)
    return {
      count,
      lost,
      note: `memory ${growth < 0 ? '' : '+'}${growth.toFixed(0)} MB from first to last tenth`,
    }
  },
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length

/** In one piece, or cut at random places. */
function cut(random: Random, whole: Buffer): Buffer[] {
  if (random.chance(0.7)) return [whole]
  const cuts = Array.from({ length: random.whole(1, 8) }, () => random.whole(0, whole.length)).sort(
    (a, b) => a - b,
  )
  return [0, ...cuts]
    .map((from, at) => whole.subarray(from, cuts[at] ?? whole.length))
    .filter((piece) => piece.length > 0)
}
