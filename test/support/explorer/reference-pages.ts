import { expect } from 'bun:test'
import type { Reply } from '../http/server.ts'
import { listCalls } from './snippets.ts'

type Server = { get(path: string): Promise<Reply> }

/** The pages of all calls of a version, as one text. */
export async function readCalls(server: Server, version: string): Promise<string> {
  const paths = await listCalls(server, version)
  return (await Promise.all(paths.map((path) => server.get(path)))).map((page) => page.text).join('')
}

/** The pages of the calls of a version show every field of these schemas. */
export async function expectEveryField(server: Server, version: string, names: readonly string[]) {
  const text = await readCalls(server, version)
  const { components } = (await server.get('/openapi.json')).body
  for (const name of names) {
    const fields = Object.keys(components.schemas[name].properties)
    expect(fields).not.toBeEmpty()
    for (const field of fields) expect(text).toContain(`<code>${field}</code>`)
  }
}

/** The page of a version links each of its calls; a deprecated version says so on each page. Returns the pages of the calls. */
export async function expectCalls(server: Server, version: string, { isDeprecated = true } = {}) {
  const name = version.toLowerCase()
  const { paths } = (await server.get('/openapi.json')).body
  const { text } = await server.get(`/reference/${name}`)
  expect(text).toContain(`<h1>The ${version} passport API</h1>`)
  expect(text).toContain(`<a href="/reference/${name}" aria-current="page">${version}</a>`)
  expect(text).toContain('<a href="/reference/v3" aria-current="page">API</a></nav>')
  const calls = await readCalls(server, name)
  const shown = [...calls.matchAll(/<form id="call" data-path="([^"]+)"/g)].map((match) => match[1])
  // A path has a page for each of its operations.
  expect([...new Set(shown)].toSorted()).toEqual(
    Object.keys(paths)
      .filter((each) => each.startsWith(`/api/${name}/`))
      .toSorted(),
  )
  for (const [page, count] of [
    [text, 1],
    [calls, shown.length],
  ] as const) {
    for (const notice of ['id="deprecation"', ' passport API is deprecated</strong>'])
      expect([notice, page.split(notice).length - 1]).toEqual([notice, isDeprecated ? count : 0])
  }
  return calls
}

/** The example of an error on a page of the reference, without its request id. */
export async function errorExampleOn(server: Server, path: string, status: number) {
  const example = new RegExp(`aria-label="Status ${status}"[^>]*>([^<]*)`)
  const [, json = ''] = example.exec((await server.get(path)).text) ?? []
  const { request_id: _, ...rest } = JSON.parse(json.replaceAll('&quot;', '"'))
  return rest
}
