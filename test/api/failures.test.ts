import { Database, SQLiteError } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import { expectGolden } from '../support/http/golden.ts'
import { serveTest } from '../support/http/server.ts'
import { saveRecords } from '../support/store/engines.ts'
import { ada, named } from '../support/store/records.ts'
import { tempFolder } from '../support/temp-folder.ts'

const GOLDEN = { headers: { 'X-Request-Id': 'golden' } }

test('an internal error is logged with its stack and hidden from the client', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  const store = openSqlite(path)
  await saveRecords(store, [ada])
  const vandal = new Database(path)
  vandal.run('alter table v1_passports rename column fields to gone')
  vandal.close()
  await using server = serveTest(store)
  const { status, text, headers } = await server.get('/api/v1/passports', GOLDEN)
  expect(status).toBe(500)
  expect(headers.get('Cache-Control')).toBe('no-store')
  expectGolden('error-500', text)
  expect(server.errors).toEqual([expect.any(SQLiteError)])
  await store.close()
})

test('an unavailable store means 503 with Retry-After; the service is alive but not ready', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  const before = openSqlite(path)
  await saveRecords(
    before,
    Array.from({ length: 2000 }, (_, id) => named(id, `Person ${id}`)),
  )
  await before.close()
  const store = openSqlite(path)
  truncateSync(path, 8192)
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
  await store.close()
})
