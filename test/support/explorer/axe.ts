import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** The dark theme changes colours only. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Runs axe in a page; with all rules by default. */
export async function findViolations(page: Page, rules?: string[]): Promise<string[]> {
  // Injected by the developer tools, because the page's policy blocks scripts.
  await page.evaluate(AXE)
  const { violations } = await page.evaluate(
    (only) =>
      (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
        resultTypes: ['violations'],
        ...(only && { runOnly: only }),
      }),
    rules,
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
