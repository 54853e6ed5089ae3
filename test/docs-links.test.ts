import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeIn, isFile, PAGES, readPage, rowsOf } from './support/docs/pages.ts'

test('the files in docs/extend.md exist, and contain the names that it lists for them', () => {
  const rows = rowsOf('docs/extend.md')
  expect(rows.length).toBeGreaterThan(5)
  for (const [file = '', holds = ''] of rows) {
    const [path = ''] = codeIn(file)
    const names = codeIn(holds.split(/[:,.;] /)[0] ?? '').filter((name) => !name.startsWith('src/'))
    expect({ path, missing: names.filter((name) => !readPage(path).includes(name)) }).toEqual({
      path,
      missing: [],
    })
  }
  const paths = codeIn(readPage('docs/extend.md')).filter((code) => /^(src|test)\/\S+$/.test(code))
  expect(paths.filter((path) => !isFile(path))).toEqual([])
})

const linksOf = (page: string) =>
  [...readPage(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))

const anchorsOf = (page: string) =>
  [...readPage(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

const DECISIONS = [...new Bun.Glob('docs/decisions/*.md').scanSync(join(import.meta.dir, '..'))].sort()
const OTHER_PAGES = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...DECISIONS]

test.each([...PAGES, ...OTHER_PAGES])('all links of %s work', (page) => {
  const broken = linksOf(page).filter((link) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    return !isFile(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
  })
  expect(broken).toEqual([])
})

test.each([...PAGES, ...OTHER_PAGES])('%s names existing source files', (page) => {
  const paths = codeIn(readPage(page)).filter((code) => /^[\w-]+(\/[\w-]+)+\.(ts|sql|json)$/.test(code))
  const missing = paths.filter((path) => !isFile(path) && !isFile(join('src', path)))
  expect(missing).toEqual([])
})

test('messages, comments and files of deploy name pages and sections of docs that exist', () => {
  const files = [...new Bun.Glob('{src,deploy,packages,bench,stress}/**/*.{ts,py,md,yaml,sh}').scanSync('.')]
  const named = files
    .filter((path) => !path.includes('node_modules/'))
    .flatMap((path) => readPage(path).match(/\bdocs\/[\w/-]+\.md(#[\w-]+)?/g) ?? [])
  expect(named.length).toBeGreaterThan(20)
  const missing = named.filter((link) => {
    const [page = '', anchor] = link.split('#')
    return !isFile(page) || (anchor !== undefined && !anchorsOf(page).includes(anchor))
  })
  expect(missing).toEqual([])
})

/** The most words of each page, as `wc -w` counts them. A longer page loses something else first. */
const MOST_WORDS: Readonly<Record<string, number>> = {
  'ARCHITECTURE.md': 1_400,
  'CHANGELOG.md': 1_250,
  'README.md': 500,
  'docs/README.md': 250,
  'docs/api/events.md': 1_100,
  'docs/api/later.md': 500,
  'docs/api/v1.md': 1_200,
  'docs/api/v2.md': 600,
  'docs/api/v3.md': 2_800,
  'docs/api/writing.md': 950,
  'docs/backup.md': 950,
  'docs/cli.md': 850,
  'docs/client.md': 1_200,
  'docs/explorer.md': 1_250,
  'docs/extend.md': 700,
  'docs/install.md': 650,
  'docs/issuers.md': 500,
  'docs/keys.md': 1_050,
  'docs/limits.md': 1_000,
  'docs/mcp.md': 550,
  'docs/migrate.md': 1_300,
  'docs/operate.md': 2_500,
  'docs/performance.md': 750,
  'docs/privacy.md': 1_250,
  'docs/proof.md': 1_150,
  'docs/python.md': 550,
  'docs/records.md': 1_300,
  'docs/reliability.md': 1_100,
  'docs/retire.md': 500,
  'docs/scale.md': 1_750,
  'docs/scoring.md': 1_450,
  'docs/security.md': 1_750,
  'docs/troubleshooting.md': 600,
  'docs/tutorial.md': 900,
  'docs/upgrade.md': 1_000,
  'docs/webhooks.md': 750,
}
const MOST_WORDS_OF_DECISION = 260
const MOST_WORDS_OF_ALL = 40_000

const countWords = (page: string) => readPage(page).trim().split(/\s+/).length

test('each page and decision keeps its budget of words, and all together keep theirs', () => {
  const pages = [...Object.keys(MOST_WORDS), ...DECISIONS]
  const unknown = PAGES.filter((page) => page.startsWith('docs/') && !pages.includes(page))
  expect(unknown).toEqual([])
  const words = pages.map((page) => ({ page, words: countWords(page) }))
  const tooLong = words.filter((entry) => entry.words > (MOST_WORDS[entry.page] ?? MOST_WORDS_OF_DECISION))
  expect(tooLong).toEqual([])
  expect(words.reduce((sum, entry) => sum + entry.words, 0)).toBeLessThanOrEqual(MOST_WORDS_OF_ALL)
})

test('the newest release in CHANGELOG.md has at most 35 lines, ten of them before an upgrade', () => {
  const [, release = ''] = readPage('CHANGELOG.md').split(/^## .*$/m)
  const countItems = (text: string) => text.match(/^- /gm)?.length ?? 0
  const [before = ''] = release.split(/^(?:Added|Changed|Fixed):$/m)
  expect(countItems(release)).toBeLessThanOrEqual(35)
  expect(countItems(before)).toBeLessThanOrEqual(10)
})

test('ARCHITECTURE.md has every folder of src, src/core and src/core/store, and names every feature', () => {
  const [, tree = ''] = readPage('ARCHITECTURE.md').split('## Source tree')
  const listed = [...tree.matchAll(/^ {4,}([\w-]+)\/ /gm)].map(([, name]) => name)
  const folders = ['src', 'src/core', 'src/core/store'].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()),
  )
  expect(folders.map(({ name }) => name).filter((name) => !listed.includes(name))).toEqual([])
  const [, features = ''] = /^Features: (.+?)\. /m.exec(tree) ?? []
  expect(readdirSync('src/features').filter((name) => !features.split(', ').includes(name))).toEqual([])
})

test('docs/README.md links to every page', () => {
  const named = linksOf('docs/README.md').map((link) => join('docs', link))
  expect(PAGES.filter((page) => !['docs/README.md', ...named].includes(page))).toEqual([])
})
