/**
 * Compares the pages of the demo with those of an earlier commit: their markup, except for invisible white space, and the
 * layout of some pages in Chromium. Exits with 1 if a page differs.
 *
 *   npx bun bench/compare-pages.ts --base e551d5bf [--pages 1000] [--layouts 24]
 */
import { join } from 'node:path'
import { readUrl } from '../test/support/cli.ts'
import { findDifference, toComparable } from '../test/support/explorer/comparable-markup.ts'
import { crawl, kindOf, type Pages, readPage } from '../test/support/explorer/crawl.ts'
import { launchBrowser } from '../test/support/explorer/launch-browser.ts'
import { readLayout } from '../test/support/explorer/page-layout.ts'
import { tempFolder } from '../test/support/temp-folder.ts'
import { until } from '../test/support/wait-until.ts'
import { BENCH_TIERS } from './support/api-key.ts'
import { checkOut } from './support/check-out.ts'
import { readOptions } from './support/options.ts'

const ROOT = join(import.meta.dir, '..')
const WIDTHS = [1280, 390]
/** Differences to print. The others are counted. */
const MOST_PRINTED = 20

const { base, pages, layouts } = readOptions({ base: 'HEAD', pages: 1000, layouts: 24 })

using folder = tempFolder()
using before = await serveDemo(await checkOut(base, join(folder.path, 'base')), 'before.db')
using after = await serveDemo(ROOT, 'after.db')
const servers = [before, after]
const [pagesBefore, pagesAfter] = await Promise.all([crawl(before.url, pages), crawl(after.url, pages)])
const differences = [
  ...(await comparePages(pagesBefore, pagesAfter)),
  ...(await compareLayouts(sampleOf(pagesBefore))),
]
console.log(differences.slice(0, MOST_PRINTED).join('\n\n'))
console.log(`${pagesAfter.size} pages, ${layouts * WIDTHS.length} layouts, ${differences.length} differences`)
process.exitCode = differences.length === 0 ? 0 : 1

async function serveDemo(root: string, database: string) {
  const command = [process.execPath, '--smol', join(root, 'src/main.ts'), 'serve', '--demo', '--workers', '1']
  const child = Bun.spawn(command, {
    cwd: folder.path,
    env: { DATABASE_URL: `sqlite:${join(folder.path, database)}`, PORT: '0', TIERS: BENCH_TIERS },
    stderr: 'inherit',
  })
  const url = await readUrl(child.stdout)
  if (url === undefined) throw new Error(`${root} did not start`)
  await until(async () => (await fetch(`${url}/ready`)).ok, `${url}/ready`)
  return { url, [Symbol.dispose]: () => child.kill('SIGKILL') }
}

/** A page that differs is read again, because the demo calculates one score after its start. */
async function comparePages(before: Pages, after: Pages): Promise<string[]> {
  const differences: string[] = []
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const markup = [before.get(path), after.get(path)]
    if (differenceOf(markup) === undefined) continue
    const again = await Promise.all(servers.map(({ url }) => readPage(url, path).catch(() => undefined)))
    const difference = differenceOf(again)
    if (difference !== undefined) differences.push(`${path}\n${difference}`)
  }
  return differences
}

function differenceOf(markup: readonly (string | undefined)[]) {
  const [before = 'no page', after = 'no page'] = markup.map(
    (text) => text && toComparable(withoutPort(text)),
  )
  return findDifference(before, after)
}

/** The servers have different ports. */
function withoutPort(text: string): string {
  return text.replace(/127\.0\.0\.1(:|%3A)\d+/g, 'site')
}

/** The first page of each kind, then further pages. */
function sampleOf(pages: Pages): string[] {
  const paths = [...pages.keys()]
  const firsts = new Map(paths.toReversed().map((path) => [kindOf(path), path]))
  return [...new Set([...firsts.values().toArray().toReversed(), ...paths])].slice(0, layouts)
}

async function compareLayouts(paths: readonly string[]): Promise<string[]> {
  const browser = await launchBrowser()
  const differences: string[] = []
  try {
    const page = await browser.newPage()
    for (const path of paths) {
      for (const width of WIDTHS) {
        const [one, other] = [
          await readLayout(page, before.url + path, width),
          await readLayout(page, after.url + path, width),
        ].map(withoutPort)
        const difference = findDifference(one as string, other as string)
        if (difference !== undefined) differences.push(`Layout of ${path} at ${width} px\n${difference}`)
      }
    }
  } finally {
    await browser.close()
  }
  return differences
}
