import { expect, test } from 'bun:test'
import { truncateSync } from 'node:fs'
import type { DatabaseAddress } from '../../../src/core/store/database-address.ts'
import { serveTest } from '../../support/http/server.ts'
import { databaseMaker, onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { openStore, parseDatabaseAddress } from '../../support/store/open.ts'
import { ada, named } from '../../support/store/records.ts'

const open = (url: string) => openStore(parseDatabaseAddress(url) as DatabaseAddress)

onEveryEngine('failures', (open) => {
  test('an internal error is logged with its stack and hidden from the client', async () => {
    await using store = await open([ada])
    await execute(store.url, 'alter table passports rename column verified_wallets to gone')
    await using server = serveTest(store)
    const { status, body, headers } = await server.get('/api/v3/passports/7')
    expect(status).toBe(500)
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(body).toEqual({
      ...{ type: 'about:blank', title: 'Internal Server Error', status: 500, code: 'internal', errors: [] },
      ...{ detail: 'Something went wrong on our side.', request_id: expect.any(String) },
    })
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
  const { status, headers, body } = await server.get('/api/v3/passports/1990')
  expect([status, body.code]).toEqual([503, 'unavailable'])
  expect(headers.get('Retry-After')).toBe('2')
  expect(body.detail).toBe('The service cannot reach its data right now. Try again shortly.')
  const ready = await server.get('/ready')
  expect(ready.status).toBe(503)
  expect(ready.headers.get('Retry-After')).toBe('2')
  expect(ready.body.error).toBe('The database file is damaged: the log has the details.')
  expect((await server.get('/health')).status).toBe(200)
  expect(server.errors).toHaveLength(2)
  await store.database.close()
})
