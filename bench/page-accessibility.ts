/**
 * Runs all rules of axe on each kind of page of a running demo (`npm start`): both themes, a phone and a desktop.
 *
 *   npx bun bench/page-accessibility.ts [--url http://127.0.0.1:8080]
 */
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { addAxe, findViolations } from '../test/support/explorer/axe.ts'
import { listPageKinds } from '../test/support/explorer/page-kinds.ts'
import { findProgram } from '../test/support/programs.ts'

const { values } = parseArgs({ options: { url: { type: 'string', default: 'http://127.0.0.1:8080' } } })

await using browser = await chromium.launch({
  executablePath: findProgram('chromium') as string,
  args: ['--no-sandbox', '--disable-gpu'],
})
let found = 0
for (const width of [360, 1200]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    // Without transitions, the colours are final at once.
    await using context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    for (const path of listPageKinds(42, 'github_developer')) {
      await page.goto(values.url + path)
      await addAxe(page)
      const violations = await findViolations(page)
      found += violations.length
      console.log(`${width} px, ${colorScheme}, ${path}: ${violations.join('\n  ') || 'no violation'}`)
    }
  }
}
process.exitCode = found === 0 ? 0 : 1
