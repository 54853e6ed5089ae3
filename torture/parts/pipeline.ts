import { createRandom } from '../../src/ingest/demo/random.ts'
import { exchange } from '../http/caller.ts'
import { checkAnswers } from '../http/check.ts'
import { createAnswered, ENDING, type Item } from '../http/garbage.ts'
import { learnProbes, request } from '../http/probe.ts'
import { awaitSockets, socketsOf, startSubject } from '../http/subject.ts'
import type { Part } from '../part.ts'

const CALLERS = 8
const LENGTH = 60

/** A body that is passed over, long enough to come in many pieces. */
const withBody = (length: number, id: string): Item => ({
  text:
    request('/health', `X-Request-Id: ${id}\r\nContent-Length: ${length}\r\n`, 'PUT') + 'x'.repeat(length),
  method: 'PUT',
  fits: ({ status, fields, closes }) => status === 405 && fields.get('x-request-id') === id && !closes,
})

/** The server ends these connections by itself, whatever is still sent behind the request that ends them. */
export const pipeline: Part = {
  name: 'pipeline',
  what: 'requests that do not wait for answers: HEAD, 304, 4xx, bodies, oversized heads, every way to end',
  long: 50_000,
  short: 1500,
  async run(times, tell) {
    await using subject = await startSubject()
    const probes = await learnProbes(subject)
    const before = socketsOf(subject)
    const kinds = Object.values(createAnswered(probes))
    const ends = Object.entries(ENDING)
    let count = 0
    let lost = 0
    let next = 0

    async function call(seed: number): Promise<void> {
      const random = createRandom(seed)
      const [name, makeEnd] = ends[seed % ends.length] as (typeof ends)[number]
      const items = Array.from({ length: LENGTH }, (_, at) => random.pick(kinds)(random, `${seed}-${at}`))
      items[random.whole(0, LENGTH - 1)] = withBody(random.whole(100_000, 1_000_000), `${seed}-body`)
      const end = makeEnd(random, '')
      const unanswered = request('/health').repeat(20)
      const text = [...items, end].map((item) => item.text).join('') + unanswered
      try {
        checkAnswers(
          await exchange(subject.port, [Buffer.from(text, 'latin1')], { finishes: false }),
          items,
          end,
        )
      } catch (error) {
        lost++
        tell(`${name}, seed ${seed}: ${error}`)
      }
      count += items.length + 1
    }

    async function lane(): Promise<void> {
      while (count < times) await call(next++)
    }
    await Promise.all(Array.from({ length: CALLERS }, lane))
    const open = (await awaitSockets(subject, before, 10_000)) - before
    if (open > 0) {
      lost++
      tell(`${open} sockets are still open`)
    }
    return { count, lost }
  },
}
