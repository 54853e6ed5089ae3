import { describe, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { codeIn, isFile, MIGRATE_REQUESTS, PAGES, readPage, rowsOf } from './support/docs/pages.ts'
import { serveExplorer } from './support/explorer/explorer-server.ts'
import { sendBytes } from './support/http/raw-request.ts'
import { shareServer } from './support/http/server.ts'
import { openTestStore } from './support/store/engines.ts'
import { INVENTED } from './support/store/json-lines.ts'

describe('requests and responses in docs/migrate.md', () => {
  const server = shareServer(() => openTestStore('sqlite', INVENTED), serveExplorer)

  async function send(request: string, headers: readonly string[]) {
    const lines = [`${request} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', '']
    const [head = '', body] = (await sendBytes(server.port, lines.join('\r\n'))).split('\r\n\r\n')
    return { status: Number(head.split(' ')[1]), body }
  }

  test('docs/migrate.md has more than 30 requests', () => expect(MIGRATE_REQUESTS.length).toBeGreaterThan(30))

  test.each(MIGRATE_REQUESTS)(
    '$method $path $headers gets the documented response',
    async ({ method, path, headers, status, sameAs }) => {
      const response = await send(`${method} ${path}`, headers)
      expect(response.status).toBe(status)
      if (sameAs) expect(response.body).toBe((await send(`GET ${sameAs}`, [])).body as string)
    },
  )
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
