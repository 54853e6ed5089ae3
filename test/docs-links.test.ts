import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PAGES } from './support/docs/examples.ts'
import { MIGRATE_REQUESTS } from './support/docs/migrate-requests.ts'
import { readPage } from './support/docs/named-tests.ts'
import { codeIn, rowsOf } from './support/docs/tables.ts'
import { serveExplorer } from './support/explorer/explorer-server.ts'
import { sendRaw } from './support/http/raw-request.ts'
import { openTestStore, type TestStore } from './support/store/engines.ts'
import { INVENTED } from './support/store/json-lines.ts'

const ROOT = join(import.meta.dir, '..')

describe('requests and responses in docs/migrate.md', () => {
  let store: TestStore
  let server: ReturnType<typeof serveExplorer>
  beforeAll(async () => {
    store = await openTestStore('sqlite', INVENTED)
    server = serveExplorer(store)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
  })

  test('docs/migrate.md has more than 30 of them', () => expect(MIGRATE_REQUESTS.length).toBeGreaterThan(30))

  test.each(MIGRATE_REQUESTS)('$method $path $headers', async ({ method, path, headers, status, sameAs }) => {
    const response = await sendRaw(server.port, `${method} ${path}`, headers)
    expect(response.status).toBe(status)
    if (sameAs) expect(response.body).toBe((await sendRaw(server.port, `GET ${sameAs}`, [])).body)
  })
})

test('docs/extend.md names existing files and their contents', () => {
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
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
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

const DECISIONS = [...new Bun.Glob('docs/decisions/*.md').scanSync(ROOT)].sort()
const OTHER_PAGES = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...DECISIONS]

test.each([...PAGES, ...OTHER_PAGES])('all links of %s work', (page) => {
  const broken = linksOf(page).filter((link) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
  })
  expect(broken).toEqual([])
})

test.each(['ARCHITECTURE.md', ...DECISIONS])('%s names existing source files', (page) => {
  const paths = codeIn(readPage(page)).filter((code) => /^[\w-]+(\/[\w-]+)+\.ts$/.test(code))
  const missing = paths.filter(
    (path) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, 'src', path)),
  )
  expect(missing).toEqual([])
})

test('docs/README.md links to every page', () => {
  const named = linksOf('docs/README.md').map((link) => join('docs', link))
  expect(PAGES.filter((page) => !['docs/README.md', ...named].includes(page))).toEqual([])
})
