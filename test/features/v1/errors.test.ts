import { expect, test } from 'bun:test'
import { truncateSync } from 'node:fs'
import type { DatabaseAddress } from '../../../src/core/store/database-address.ts'
import { expectGolden } from '../../support/http/golden.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveRecords, serveTest, shareServer } from '../../support/http/server.ts'
import { limited } from '../../support/http/servers.ts'
import { databaseMaker, onEveryEngine, openTestStore, saveRecords } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { openStore, parseDatabaseAddress } from '../../support/store/open.ts'
import { ada, named, PEOPLE } from '../../support/store/records.ts'

const GOLDEN = { headers: { 'X-Request-Id': 'golden' } }

const open = (url: string) => openStore(parseDatabaseAddress(url) as DatabaseAddress)
const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveTest)

test('the errors of V1 match their golden files', async () => {
  expectGolden('error-400', (await server.get('/api/v1/passports?page=0', GOLDEN)).text)
  expectGolden('error-404', (await server.get('/api/v1/passports/8', GOLDEN)).text)
  expectGolden('error-405', (await server.get('/api/v1/passports', { ...GOLDEN, method: 'POST' })).text)
  const long = `/api/v1/passports?keyword=${'x'.repeat(9000)}`
  expectGolden('error-414', (await server.get(long, GOLDEN)).text)
})

onEveryEngine('failures of V1', (open) => {
  test('an internal error of V1 matches its golden file', async () => {
    await using store = await open([ada])
    await execute(store.url, 'alter table passports rename column verified_wallets to gone')
    await using server = serveTest(store)
    const { status, text } = await server.get('/api/v1/passports/7', GOLDEN)
    expect(status).toBe(500)
    expectGolden('error-500', text)
  })
})

test('while the store is unavailable, V1 requests get 503 with Retry-After', async () => {
  await using database = await databaseMaker('sqlite')()
  const before = await open(database.url)
  await saveRecords(
    before,
    Array.from({ length: 2000 }, (_, id) => named(id, `Person ${id}`)),
  )
  await before.database.close()
  const store = await open(database.url)
  truncateSync(database.url.slice('sqlite:'.length), 8192)
  await using server = serveTest(store)
  const { status, headers, text } = await server.get('/api/v1/passports/1990', GOLDEN)
  expect([status, headers.get('Retry-After')]).toEqual([503, '2'])
  expectGolden('error-503', text)
  await store.database.close()
})

test('repeated slashes in a path count as one', async () => {
  const { text } = await server.get('/api/v1/passports')
  for (const path of ['//api/v1/passports', '/api/v1//passports', '/api//v1/passports///'])
    expect(await server.get(path)).toMatchObject({ status: 200, text })
  for (const path of ['/api/v1/passports//7', '//health']) expect((await server.get(path)).status).toBe(200)
  expect((await server.get('///', { method: 'OPTIONS' })).status).toBe(204)
})

test('a 401 of V1 matches its golden file, even if the operator has set how to get a key', async () => {
  await using server = await serveRecords({ requireKey: true, keyHelp: 'https://example.com/keys' })
  const { key } = await makeKey(server.store, 1)
  for (const name of ['X-API-KEY', 'api_key', 'key']) {
    const { status, text } = await server.get(`/api/v1/passports?${name}=${key}`, GOLDEN)
    expect(status).toBe(401)
    expectGolden('error-401', text)
  }
  const { body } = await server.get('/api/v1/passports', { headers: { 'X-API-KEY': 'x' } })
  expect(body).toMatchObject({ error: 'Unauthorized request.', code: 'unauthorized' })
})

test('a 429 of V1 says when to retry', async () => {
  await using server = await limited('anonymous=1/10s')
  await server.anonymous('/api/v1/passports')
  const { status, body } = await server.anonymous('/api/v1/passports')
  expect([status, body.error, body.code]).toEqual([
    429,
    'The limit is 1 requests in 10 s: try again in 10 s.',
    'rate_limited',
  ])
})
