import { expect, test } from 'bun:test'
import { expectCalls, expectEveryField } from '../../support/explorer/reference-pages.ts'
import { listCalls } from '../../support/explorer/snippets.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { documentOf } from '../../support/program/serving.ts'
import { openTestStore } from '../../support/store/engines.ts'

const server = shareServer(() => openTestStore('sqlite'), serveTest)

test('the reference shows every field of every response of V2', () =>
  expectEveryField(server, 'v2', [
    ...['PassportV2'],
    ...['ListedPassport', 'PassportProfile', 'PassportSocial', 'Credential', 'Pagination'],
  ]))

test('the page of V2 links each of its calls, whose pages say that V2 is deprecated', async () => {
  expect(await expectCalls(server, 'V2')).not.toContain('data-needs-key')
  const { text } = await server.get('/reference')
  expect(text).toContain('<h3>V2: deprecated</h3>')
  for (const path of await listCalls(server, 'v2'))
    expect(text).toContain(`<li id="${path.split('/').at(-1)}"><a href="${path}">`)
})

test('every operation of V2 is marked deprecated', async () => {
  const { paths } = (await server.get('/openapi.json')).body
  const operations = Object.entries(paths).filter(([path]) => path.startsWith('/api/v2/'))
  expect(operations).toHaveLength(6)
  for (const [, item] of operations) expect(item).toMatchObject({ get: { deprecated: true, tags: ['V2'] } })
})

test('without V2, the OpenAPI document has neither its operations nor its schemas', async () => {
  for (const compatV2 of [true, false]) {
    const { paths, components } = documentOf('0', { compatV2 })
    expect(Object.keys(paths).some((path) => path.startsWith('/api/v2/'))).toBe(compatV2)
    expect(Object.keys(components.schemas).some((name) => name.endsWith('V2'))).toBe(compatV2)
  }
})
