import { expect, test } from 'bun:test'
import { serveRecords } from '../../support/http/server.ts'
import { createIndexClient } from '../../support/index/local-index.ts'
import { record } from '../../support/store/records.ts'

test('until there is an index, lists and /ready get not_ready, and passports are served by id', async () => {
  await using server = await serveRecords({ index: createIndexClient() }, [record(1)])
  for (const path of ['/api/v3/passports', '/api/v3/passports?filter=human:true', '/api/v1/passports']) {
    const { status, headers, text } = await server.get(path)
    expect([path, status, headers.get('Retry-After')]).toEqual([path, 503, '2'])
    expect(text).toContain('The index is being built: 0 % done. Try again shortly.')
  }
  expect((await server.get('/ready')).status).toBe(503)
  for (const path of ['/api/v3/passports/1', '/api/v1/passports/1', '/api/v2/passports/1'])
    expect((await server.get(path)).status).toBe(200)
})
