import { expect, test } from 'bun:test'
import { onBothEngines } from '../support/store/engines.ts'
import { checkModel } from './check-model.ts'
import { startNode } from './node.ts'

/** The seed makes the operations reproducible. */
const OPTIONS = {
  seed: Number(process.env.SEED ?? 1815),
  numRuns: Number(process.env.RUNS ?? 3),
  maxCommands: Number(process.env.MOST ?? 30),
}

onBothEngines('random operations over HTTP and by commands', (open) => {
  test('every version of the API answers as a naive model of the docs does', async () => {
    const total = await checkModel(async () => startNode(await open()), OPTIONS)
    if (process.env.RUNS) process.stderr.write(`${JSON.stringify(total)}\n`)
    expect(total.operations).toBeGreaterThan(10)
    expect(total.comparisons).toBeGreaterThan(1000)
  })
})
