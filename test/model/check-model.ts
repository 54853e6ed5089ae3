import fc from 'fast-check'
import { beginRun, compareAll, type Run } from './compare.ts'
import type { Node } from './node.ts'
import { someCommands } from './operations.ts'
import { RULE_SETS } from './rule-sets.ts'
import { Service } from './service.ts'

type Options = { seed: number; numRuns: number; maxCommands: number }

/** Sends random operations to new nodes and models. If an answer differs, throws the seed and the shortest such operations. */
export async function checkModel(start: () => Promise<Node & AsyncDisposable>, options: Options) {
  const { seed, numRuns, maxCommands } = options
  const total = { operations: 0, comparisons: 0 }
  let run: Run | undefined
  const commands = someCommands(async (service, node) => {
    await node.settle()
    service.settle(node.now())
    await compareAll(service, node, run as Run)
    total.operations++
  })
  const some = fc.commands(commands, { maxCommands, size: 'max' })
  const check = async (operations: Iterable<fc.AsyncCommand<Service, Node>>) => {
    const [rules] = RULE_SETS
    await using node = await start()
    await node.command('rules', 'apply', node.file('rules.json', JSON.stringify(rules)))
    await node.settle()
    const service = new Service(rules)
    run = await beginRun(service, node)
    await fc.asyncModelRun(() => ({ model: service, real: node }), operations)
    total.comparisons += run.comparisons
  }
  await fc.assert(fc.asyncProperty(some, check), { seed, numRuns })
  return total
}
