import { expect } from 'bun:test'
import { beginModel } from '../../../test/model/check-model.ts'
import { compareAll } from '../../../test/model/compare.ts'
import { areIndependent, change, isPossible, type Step, send } from '../../../test/model/operations.ts'
import type { Service } from '../../../test/model/service.ts'
import { createRandom } from '../../../test/support/random.ts'
import type { EngineName } from '../../../test/support/store/engines.ts'
import type { Scenario } from '../../run-scenario.ts'
import { createSteps, type Steps } from './random-steps.ts'
import { type ModelNodes, serveModelNodes } from './serve-model-nodes.ts'

/** Each works on one database at a time. */
const WORKERS = ['sqlite', 'postgres', 'postgres'] as const
const ENGINES = ['sqlite', 'postgres'] as const
/** Nodes of a service. On SQLite, one process serves. */
const NODES = { sqlite: 1, postgres: 2 }
/** The most operations on a database. */
const OPERATIONS_PER_DATABASE = 1000
/** All nodes are killed once in this many operations. */
const OPERATIONS_PER_KILL = 250
/** Everything is compared after this many operations, and after a kill. */
const OPERATIONS_PER_COMPARISON = 100
/** The share of all comparisons that each other operation makes, besides those of what it changes. */
const SHARE = 1 / 40
/** The longest time between the sending of an operation and the kill, in milliseconds: a little longer than a write takes. */
const LONGEST_LIFE = { sqlite: 8, postgres: 40 }

/**
 * `--times` is the number of operations on each engine. A difference ends the work on a database, whose state is then
 * unknown. To repeat the operations of a database, run `MODEL_SEED=SEED npm run stress -- --only model --times 1000`.
 */
export const model: Scenario = {
  name: 'model',
  title: 'Random operations, some during a SIGKILL: all answers are those of a naive model',
  long: 20_000,
  short: 6,
  async run(times, fail) {
    const seed = Number(process.env.MODEL_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0])
    const totals = { sqlite: zero(), postgres: zero() }
    const begun = { sqlite: 0, postgres: 0 }
    const note = () =>
      `seed ${seed}; ${ENGINES.map((engine) => `${engine}: ${describe(totals[engine])}`).join('; ')}`
    await Promise.all(
      WORKERS.map(async (engine) => {
        while (begun[engine] < times) {
          const next = {
            count: Math.min(OPERATIONS_PER_DATABASE, times - begun[engine]),
            seed: seed + begun[engine],
          }
          begun[engine] += next.count
          try {
            await useDatabase(engine, next, totals[engine])
            if (times > OPERATIONS_PER_DATABASE) console.error(`model: ${note()}`)
          } catch (error) {
            totals[engine].differences++
            // Longer than the messages of other scenarios.
            console.error(error)
            fail(`${engine}, seed ${next.seed}: ${(error as Error).message}`)
          }
        }
      }),
    )
    return { count: totals.sqlite.operations + totals.postgres.operations, note: note() }
  },
}

type Totals = ReturnType<typeof zero>

const zero = () => ({ operations: 0, comparisons: 0, differences: 0, kills: 0, unknown: 0, concurrent: 0 })

const describe = ({ operations, comparisons, differences, kills, unknown, concurrent }: Totals) =>
  `${operations.toLocaleString('en')} operations, ${kills} kills, ${unknown} unacknowledged, ${concurrent} concurrent imports, ${comparisons.toLocaleString('en')} comparisons, ${differences} differences`

/** Sends this many operations to a new database. */
async function useDatabase(
  engine: EngineName,
  { count, seed }: { count: number; seed: number },
  totals: Totals,
): Promise<void> {
  const random = createRandom(seed)
  const steps = createSteps(createRandom(seed))
  await using nodes = await serveModelNodes(engine, NODES[engine], random)
  const session = await beginModel(nodes)
  const perKill = Math.min(count, OPERATIONS_PER_KILL)
  let killAt = random.whole(1, perKill)
  for (let done = 0; done < count; ) {
    const isWrite = (step: Step) => step.kind === 'write' && isPossible(session.service, step)
    const killed = done + 1 >= killAt ? steps.find(isWrite) : undefined
    const isKill = killed !== undefined
    const step = killed ?? steps.next(session.service)
    if (isKill) killAt += perKill
    nodes.advance()
    try {
      const sent = isKill
        ? await sendAndKill(nodes, session, step, LONGEST_LIFE[engine] * random.next(), totals)
        : await sendSome(nodes, session.service, step, steps)
      totals.concurrent += sent - 1
      totals.operations += sent
      done += sent
      await settle(nodes, session.service)
      const isWhole = isKill || done % OPERATIONS_PER_COMPARISON < sent
      const before = session.run.comparisons
      await compareAll(session.service, nodes, session.run, () => isWhole || random.chance(SHARE))
      totals.comparisons += session.run.comparisons - before
    } catch (error) {
      const trail = steps.latest().map((each) => `${each.kind} ${JSON.stringify(each.operation)}`)
      throw new Error(
        `after ${done} operations, the latest ${trail.join('; ')}: ${(error as Error).message}`,
        {
          cause: error,
        },
      )
    }
  }
}

type Session = Awaited<ReturnType<typeof beginModel>>

async function settle(nodes: ModelNodes, service: Service): Promise<void> {
  await nodes.settle()
  service.settle()
}

/** Sends an operation: if it is an import, together with a request whose records are others. Returns their number. */
async function sendSome(nodes: ModelNodes, service: Service, step: Step, steps: Steps): Promise<number> {
  const other = steps.find((next) => areIndependent(service, step, next) && isPossible(service, next))
  const both = [step, ...(other ? [other] : [])]
  await Promise.all(both.map((each) => sendAndCheck(nodes, service, each)))
  return both.length
}

async function sendAndCheck(nodes: ModelNodes, service: Service, step: Step): Promise<void> {
  const answer = change(service, step, nodes.now())
  expect({ ...step, answer: await send(nodes, step) }).toEqual({ ...step, answer })
}

/** Kills the nodes during a write, and repeats it: the answer says whether all of it was stored, or nothing. */
async function sendAndKill(
  nodes: ModelNodes,
  { service }: Session,
  step: Step,
  milliseconds: number,
  totals: Totals,
): Promise<number> {
  totals.kills++
  const answer = change(service, step, nodes.now())
  const [sent] = await Promise.allSettled([send(nodes, step), nodes.killAll(milliseconds)])
  if (sent.status === 'fulfilled') {
    expect({ ...step, answer: sent.value }).toEqual({ ...step, answer })
    return 1
  }
  totals.unknown++
  const ifStored = change(service, step, nodes.now())
  expect([answer, ifStored]).toContainEqual(await send(nodes, step))
  return 1
}
