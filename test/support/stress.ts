import { expect, test } from 'bun:test'
import { runScenario } from '../../stress/scenario.ts'
import { SCENARIOS } from '../../stress/scenarios.ts'

/** The scenarios are divided among this many test files, which run in parallel. */
const FILES = 3

export function testScenarios(file: number): void {
  for (const scenario of SCENARIOS.filter((_, index) => index % FILES === file)) {
    test(`the stress scenario ${scenario.name} passes all its checks in the short form`, async () => {
      const messages: string[] = []
      const { count } = await runScenario(scenario, scenario.short, (message) => messages.push(message))
      expect(messages).toEqual([])
      expect(count).toBeGreaterThanOrEqual(scenario.short)
    }, 120_000)
  }
}
