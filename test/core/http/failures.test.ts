import { expect, test } from 'bun:test'
import { truncateSync } from 'node:fs'
import type { DatabaseAddress } from '../../../src/core/store/database-address.ts'
import { expectGolden } from '../../support/http/golden.ts'
import { serveTest } from '../../support/http/server.ts'
import { databaseMaker, onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { openStore, parseDatabaseAddress } from '../../support/store/open.ts'
import { ada, named } from '../../support/store/records.ts'

const GOLDEN = { headers: { 'X-Request-Id': 'golden' } }
const open = (url: string) => openStore(parseDatabaseAddress(url) as DatabaseAddress)

onEveryEngine('failures', (open) => {
  test('an internal error is logged with its stack and hidden from the client', async () => {
    await using store = await open([ada])
    await execute(store.url, 'alter table passports rename column verified_wallets to gone')
    await using server = serveTest(store)
    const { status, text, headers } = await server.get('/api/v1/passports', GOLDEN)
    expect(status).toBe(500)
    expect(headers.get('Cache-Control')).toBe('no-store')
    expectGolden('error-500', text)
    expect(server.errors).toEqual([
      expect.objectContaining({ name: expect.stringMatching(/^(SQLite|Postgres)Error$/) }),
    ])
  })
})

test('while the store is unavailable, API requests and /ready get 503 with Retry-After, but /health gets 200', async () => {
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
  expect(status).toBe(503)
  expect(headers.get('Retry-After')).toBe('2')
  expectGolden('error-503', text)
  const ready = await server.get('/ready')
  expect(ready.status).toBe(503)
  expect(ready.headers.get('Retry-After')).toBe('2')
  expect(ready.body.error).toBe('The database file is damaged: the log has the details.')
  expect((await server.get('/health')).status).toBe(200)
  expect(server.errors).toHaveLength(2)
  await store.database.close()
})
