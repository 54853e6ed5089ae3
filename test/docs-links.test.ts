import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { codeIn, isFile, PAGES, readPage, rowsOf } from './support/docs/pages.ts'

test('the files in docs/extend.md exist, and contain the names that it lists for them', () => {
  const rows = rowsOf('docs/extend.md')
  expect(rows.length).toBeGreaterThan(20)
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

test.each(['ARCHITECTURE.md', ...DECISIONS])('%s names existing source files', (page) => {
  const paths = codeIn(readPage(page)).filter((code) => /^[\w-]+(\/[\w-]+)+\.ts$/.test(code))
  const missing = paths.filter((path) => !isFile(path) && !isFile(join('src', path)))
  expect(missing).toEqual([])
})

test('docs/README.md links to every page', () => {
  const named = linksOf('docs/README.md').map((link) => join('docs', link))
  expect(PAGES.filter((page) => !['docs/README.md', ...named].includes(page))).toEqual([])
})
