import { expect, test } from 'bun:test'
import { V1_BODIES } from '../../../src/features/v1/statements.ts'
import { errorExampleOn, expectCalls, expectEveryField } from '../../support/explorer/reference-pages.ts'
import { listCalls } from '../../support/explorer/snippets.ts'
import { createReference } from '../../support/features/reference.ts'
import { NO_PLAN, retiredBy } from '../../support/features/retire.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { FIXTURES } from '../../support/migrations/fixtures.ts'
import { addressOf, openTestStore, withEveryEngine } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { openStore } from '../../support/store/open.ts'
import { NOON } from '../../support/store/records.ts'

const server = shareServer(() => openTestStore('sqlite'), serveTest)

test('the reference shows every field of every response of V1', () =>
  expectEveryField(server, 'v1', [
    ...['Passport'],
    ...['ListedPassport', 'PassportProfile', 'PassportSocial', 'Credential', 'Pagination'],
  ]))

test('the page of V1 links each of its calls, whose pages say that V1 is deprecated', async () => {
  expect(await expectCalls(server, 'V1')).not.toContain('data-needs-key')
  const { text } = await server.get('/reference')
  expect(text).toContain('<h3>V1: deprecated</h3>')
  for (const path of await listCalls(server, 'v1'))
    expect(text).toContain(`<li id="${path.split('/').at(-1)}"><a href="${path}">`)
})

test('every operation of V1 is marked deprecated', async () => {
  const { paths } = (await server.get('/openapi.json')).body
  const operations = Object.entries(paths).filter(([path]) => path.startsWith('/api/v1/'))
  expect(operations).toHaveLength(3)
  for (const [, item] of operations) expect(item).toMatchObject({ get: { deprecated: true, tags: ['V1'] } })
})

test('the reference of V1 lists its calls, each error once and an example of it', async () => {
  const { text } = await server.get('/reference/v1')
  const groups = [...text.matchAll(/<h3>([^<]*)<\/h3><ul class="rows">(.*?)<\/ul>/gs)]
  expect(groups.map(([, title]) => title)).toEqual(['Read'])
  const ids = [...(groups[0]?.[2] ?? '').matchAll(/<li id="(\w+)"/g)].map(([, id]) => id)
  expect(ids).toEqual(['listPassports', 'getPassport', 'listCredentials'])
  const statuses = [...text.matchAll(/<dt id="status-(\d+)">/g)].map(([, status]) => status)
  expect(new Set(statuses).size).toBe(statuses.length)
  expect(statuses).toEqual(expect.arrayContaining(['304', '400', '404', '429', '503']))
  expect((await server.get('/reference/v1/listPassports')).text).not.toContain('<dt id="status-')
  for (const [page, target] of [
    ['/reference/v1/listPassports', '/api/v1/passports?page=zero'],
    ['/reference/v1/getPassport', '/api/v1/passports/42'],
  ] as const) {
    const { status, text } = await server.get(target)
    const { request_id: _, ...body } = JSON.parse(text)
    expect([page, await errorExampleOn(server, page, status)]).toEqual([page, body])
  }
})

test('the reference shows V1 as removed from the moment of its sunset', async () => {
  await using store = await openTestStore('sqlite')
  let now = NOON
  const { notice, ...retired } = retiredBy(
    () => ({ ...NO_PLAN, sunsetAt: NOON + 1 }),
    () => now,
  )
  await using server = serveTest(store, { ...retired, routes: createReference({ notice }) })
  expect((await server.get('/reference/v1')).text).toContain('<strong>The V1 passport API ends on ')
  now = NOON + 1
  expect((await server.get('/reference/v1')).text).toContain(
    '<strong>The V1 passport API was removed</strong>',
  )
  const { text } = await server.get('/reference')
  expect(text).toContain('<a href="/deprecation">The V1 passport API was removed</a>')
})

/** The ETags that version 0.2.1 sent for the passports in the fixtures. */
const ETAGS = { 3: '"1rqgdh7d8wwtv"', 7: '"3qzqfvi4cslrb"', 21: '"3pe06zuwseud7"' }

withEveryEngine('a database of version 0.2.1', (makeDatabase, engine) => {
  test('a migration from version 0.2.1 keeps the V1 responses', async () => {
    await using database = await makeDatabase({ bare: true })
    await execute(database.url, FIXTURES[engine])
    await using store = await openStore(addressOf(database))
    const { findPassport } = store.data(V1_BODIES)
    await using server = serveTest(store)
    for (const [id, etag] of Object.entries(ETAGS))
      expect((await server.get(`/api/v1/passports/${id}`)).headers.get('ETag')).toBe(etag)
    expect((await findPassport({ id: 7 }))?.body).toContain('Ada  Lovélace 🐉')
    expect(await findPassport({ id: 12 })).toMatchObject({ id: 3, merged: 1 })
  })
})
