import { expect, test } from 'bun:test'
import { createRequestCounter } from '../../../support/http/rate-limits.ts'
import { serveTest } from '../../../support/http/server.ts'
import { onEngine } from '../../../support/store/engines.ts'
import { NOON, PEOPLE } from '../../../support/store/records.ts'
import { startTestService } from '../../support/service.ts'

const V2 = [
  '/api/v2/passports',
  '/api/v2/passports/7',
  '/api/v2/passports/7/credentials',
  '/api/v2/passport_credentials?passport_id=7',
  '/api/v2/human_checkmark?id=7',
  '/api/v2/search/advanced/passport_app__passports?query[identity]=7',
]
onEngine('sqlite', 'V2', (open) => {
  test('if V2 is turned off, its paths respond 404 like any unknown path, and the requests do not count as usage', async () => {
    await using store = await open(PEOPLE)
    const counter = createRequestCounter(() => NOON)
    await using server = serveTest(store, { compatV2: false, counter })
    const ask = async (path: string, method = 'GET') => {
      const init = { method, headers: { 'X-Request-Id': 'same' } }
      const response = await fetch(server.url.origin + path, init)
      const text = (await response.text()).replace(/There is no path .*? paths/, '')
      return [response.status, text, response.headers.get('Deprecation')]
    }
    const unknown = await ask('/api/v9/passports')
    expect(unknown[0]).toBe(404)
    for (const path of [...V2, '/api/v2', '//api/v2/passports']) expect(await ask(path)).toEqual(unknown)
    expect((await ask('/api/v2/passports', 'OPTIONS'))[0]).toBe(204)
    expect(counter.take().counts).toEqual([])
    expect((await ask('/api/v1/passports'))[0]).toBe(200)
  })
})

test('COMPAT_V2=false removes V2 from the service and its OpenAPI document', async () => {
  await using service = await startTestService({ env: { COMPAT_V2: 'false' } })
  const statusOf = async (path: string) => (await service.get(path)).status
  expect(await statusOf('/api/v1/passports')).toBe(200)
  expect(await statusOf('/api/v2/passports')).toBe(404)
  expect(await statusOf('/reference/v2')).toBe(404)
  const document = await (await service.get('/openapi.json')).text()
  expect(document).not.toContain('/api/v2/passports/{id}')
})
