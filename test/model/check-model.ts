import { expect } from 'bun:test'
import fc from 'fast-check'
import { beginRun, compareAll, compareWaiting, type Run } from './compare.ts'
import type { Node } from './node.ts'
import { change, isPossible, type Step, send, someStep } from './operations.ts'
import { RULE_SETS } from './rule-sets.ts'
import { Service } from './service.ts'

type Options = { seed: number; numRuns: number; maxCommands: number }
type Session = { service: Service; run: Run }

/** Sends random operations to new nodes and models. If an answer differs, throws the seed and the shortest such operations. */
export async function checkModel(start: () => Promise<Node & AsyncDisposable>, options: Options) {
  const { seed, numRuns, maxCommands } = options
  const total = { operations: 0, comparisons: 0 }
  const toCommand = (step: Step): fc.AsyncCommand<Session, Node> => ({
    // fast-check only forbids the check to change the model.
    check: ({ service }) => isPossible(service as Service, step),
    async run({ service, run }, node) {
      node.advance()
      const expected = change(service, step, node.now())
      expect({ ...step, answer: await send(node, step) }).toEqual({ ...step, answer: expected })
      await compareWaiting(service, node, run)
      await node.settle()
      service.settle()
      await compareAll(service, node, run)
      total.operations++
    },
    toString: () => `${step.kind} ${JSON.stringify(step.operation)}`,
  })
  const some = fc.commands([someStep.map(toCommand)], { maxCommands, size: 'max' })
  const check = async (operations: Iterable<fc.AsyncCommand<Session, Node>>) => {
    await using node = await start()
    const model = await beginModel(node)
    await fc.asyncModelRun(() => ({ model, real: node }), operations)
    total.comparisons += model.run.comparisons
  }
  await fc.assert(fc.asyncProperty(some, check), { seed, numRuns })
  return total
}

/** The model of a node with an empty database, whose first rule set it applies. */
export async function beginModel(node: Node): Promise<Session> {
  const [rules] = RULE_SETS
  await node.command('rules', 'apply', node.file('rules.json', JSON.stringify(rules)))
  await node.settle()
  const service = new Service(rules)
  return { service, run: await beginRun(service, node) }
}
