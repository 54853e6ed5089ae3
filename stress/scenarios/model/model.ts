import { expect } from 'bun:test'
import fc from 'fast-check'
import { beginModel } from '../../../test/model/check-model.ts'
import { compareAll } from '../../../test/model/compare.ts'
import {
  areIndependent,
  change,
  isPossible,
  type Step,
  send,
  someStep,
} from '../../../test/model/operations.ts'
import type { Service } from '../../../test/model/service.ts'
import { createRandom, type Random } from '../../../test/support/random.ts'
import type { EngineName } from '../../../test/support/store/engines.ts'
import type { Scenario } from '../../run-scenario.ts'
import { type ModelNodes, serveModelNodes } from './serve-model-nodes.ts'

const ENGINES: readonly EngineName[] = ['sqlite', 'postgres']
/** Nodes of a service. On SQLite, one process serves. */
const NODES = { sqlite: 1, postgres: 2 }
const KILLS = 50
/** At least this many operations are between two kills. */
const FEWEST_BETWEEN_KILLS = 5
/** The longest time between the sending of an operation and the kill, in milliseconds. */
const LONGEST_LIFE = 15

/**
 * `--times` is the number of operations on each engine: 20,000 take hours. A difference ends an engine, because its state is
 * then unknown.
 */
export const model: Scenario = {
  name: 'model',
  title: 'Random operations, some during a SIGKILL: all answers are those of a naive model',
  long: 1000,
  short: 6,
  async run(times, fail) {
    const seed = crypto.getRandomValues(new Uint32Array(1))[0] as number
    const totals = { operations: 0, comparisons: 0, differences: 0, kills: 0, unknown: 0 }
    for (const engine of ENGINES)
      try {
        await runEngine(engine, times, seed, totals)
      } catch (error) {
        totals.differences++
        // Longer than the messages of other scenarios.
        console.error(error)
        fail(`${engine}, seed ${seed}: ${(error as Error).message}`)
      }
    const { operations, comparisons, differences, kills, unknown } = totals
    const note = `seed ${seed}, ${kills} kills, ${unknown} unacknowledged; ${comparisons} comparisons, ${differences} differences`
    return { count: operations, note }
  },
}

type Totals = { operations: number; comparisons: number; kills: number; unknown: number }

async function runEngine(engine: EngineName, times: number, seed: number, totals: Totals): Promise<void> {
  const random = createRandom(seed)
  const steps = fc.sample(someStep, { seed, numRuns: times })
  await using nodes = await serveModelNodes(engine, NODES[engine], random)
  const session = await beginModel(nodes)
  const perKill = Math.max(FEWEST_BETWEEN_KILLS, Math.floor(times / KILLS))
  for (let at = 0; at < steps.length; at++) {
    const [step, next] = [steps[at] as Step, steps[at + 1]]
    totals.operations++
    if (!isPossible(session.service, step)) continue
    const trail = `after ${at} operations, ${step.kind} ${JSON.stringify(step.operation)}: `
    try {
      if (at % perKill === perKill - 1) {
        session.service = await sendAndKill(nodes, session, step, random, totals)
      } else if (next && areIndependent(step, next) && isPossible(session.service, next)) {
        // An import and a request at the same time.
        await Promise.all([
          sendAndCheck(nodes, session.service, step),
          sendAndCheck(nodes, session.service, next),
        ])
        at++
      } else await sendAndCheck(nodes, session.service, step)
      await settle(nodes, session.service)
      const before = session.run.comparisons
      await compareAll(session.service, nodes, session.run)
      totals.comparisons += session.run.comparisons - before
    } catch (error) {
      throw new Error(trail + (error as Error).message, { cause: error })
    }
  }
}

type Session = Awaited<ReturnType<typeof beginModel>>

async function settle(nodes: ModelNodes, service: Service): Promise<void> {
  await nodes.settle()
  service.settle()
}

async function sendAndCheck(nodes: ModelNodes, service: Service, step: Step): Promise<void> {
  const answer = change(service, step, nodes.now())
  expect({ ...step, answer: await send(nodes, step) }).toEqual({ ...step, answer })
}

/** Kills the nodes during an operation. Returns the model with or without it: the answers say which one is right. */
async function sendAndKill(
  nodes: ModelNodes,
  { service, run }: Session,
  step: Step,
  random: Random,
  totals: Totals,
) {
  totals.kills++
  const without = service.clone()
  const answer = change(service, step, nodes.now())
  const [sent] = await Promise.allSettled([send(nodes, step), nodes.killAll(LONGEST_LIFE * random.next())])
  if (sent.status === 'fulfilled') {
    expect({ ...step, answer: sent.value }).toEqual({ ...step, answer })
    return service
  }
  totals.unknown++
  await settle(nodes, service)
  without.settle()
  try {
    await compareAll(service, nodes, structuredClone(run))
    return service
  } catch {
    // The operation was lost, all of it: the caller compares with this model.
    return without
  }
}
