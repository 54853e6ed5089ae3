import { expect, test } from 'bun:test'
import { runScenario } from '../../stress/scenario.ts'
import { SCENARIOS } from '../../stress/scenarios.ts'

/** Test files that share the scenarios, so that they can run in parallel. */
const FILES = 3

/** Tests the short form of every third scenario. */
export function testScenarios(file: number): void {
  for (const scenario of SCENARIOS.filter((_, at) => at % FILES === file)) {
    test(`${scenario.name}: ${scenario.title}`, async () => {
      const messages: string[] = []
      const { count } = await runScenario(scenario, scenario.short, (message) => messages.push(message))
      expect(messages).toEqual([])
      expect(count).toBeGreaterThanOrEqual(scenario.short)
    }, 60_000)
  }
}
