import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

export const addAxe = (page: Page): Promise<void> => page.evaluate(`${AXE}; undefined`)

/** Rows and calls that have the same markup as others, and most of the nodes. */
const REPEATED = [
  '.ranking li:nth-child(n + 6)',
  '.call:not(#introduction, #key, #getPassportV3, #listPassportsV3, #lookUp, #getDiff)',
  '.call:not(#lookUp) .call-fields details',
  '.call-fields dl dl dl > :nth-child(n + 3)',
]

/** Runs all rules of axe after `addAxe`. Axe is slow, so repeated parts are removed. */
export async function findViolations(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate((repeated) => {
    for (const part of document.querySelectorAll(repeated)) part.remove()
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }
    return axe.run({ resultTypes: ['violations'] })
  }, REPEATED.join())
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
