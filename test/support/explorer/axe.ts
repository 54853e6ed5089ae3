import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

export const addAxe = (page: Page): Promise<void> => page.evaluate(`${AXE}; undefined`)

/** Parts with the same markup as others. Most nodes of a page are in such parts. */
const REPEATED = [
  '.ranking li:nth-child(n + 6)',
  '.call-list li:nth-child(n + 4)',
  '.call-fields dl dl dl > :nth-child(n + 3)',
]

/** Off by default: at least 24 px, or enough space around. */
const TARGET_SIZE = 'target-size'

/** Rules whose result depends on the theme and the width. The other rules check only the markup. */
export const LAYOUT_RULES = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  TARGET_SIZE,
]

/** Runs some or all rules of axe, with each `<details>` open. Needs `addAxe`. Repeated parts are removed, for speed. */
export async function findViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  const { violations } = await page.evaluate(
    ({ repeated, runOnly, added }) => {
      for (const part of document.querySelectorAll(repeated)) part.remove()
      for (const details of document.querySelectorAll('details')) details.open = true
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }
      return axe.run({
        resultTypes: ['violations'],
        ...(runOnly ? { runOnly } : { rules: { [added]: { enabled: true } } }),
      })
    },
    { repeated: REPEATED.join(), runOnly: rules, added: TARGET_SIZE },
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
