import { expect, test } from 'bun:test'
import { onBothEngines } from '../support/store/engines.ts'
import { checkModel } from './check-model.ts'
import { startNode } from './node.ts'

/** The seed makes the operations reproducible. `MODEL_SEED=7 MODEL_RUNS=20 MODEL_COMMANDS=500 bun test test/model` tries others. */
const OPTIONS = {
  seed: Number(process.env.MODEL_SEED ?? 71),
  numRuns: Number(process.env.MODEL_RUNS ?? 2),
  maxCommands: Number(process.env.MODEL_COMMANDS ?? 60),
}

onBothEngines('random operations over HTTP and by commands', (open) => {
  test('every version of the API answers as a naive model of the docs does', async () => {
    const total = await checkModel(async () => startNode(await open()), OPTIONS)
    expect(total.operations).toBeGreaterThan(20)
    expect(total.comparisons).toBeGreaterThan(1500)
  })
})
