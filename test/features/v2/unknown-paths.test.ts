import { expect, test } from 'bun:test'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { PEOPLE } from '../../support/store/records.ts'

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveTest)

test.each([
  ['/api', '/api/v1/passports'],
  ['/api/v1/', '/api/v1/passports'],
  ['/api/v2', '/api/v2/passports'],
  ['/api/v2/talents', '/api/v2/passports'],
  ['/api/v9/passports', '/api/v1/passports'],
  ['/api/v1/passport/7', '/api/v1/passports/{id}'],
  ['/api/v1/passports/7/credentials', '/api/v2/passports/{id}/credentials'],
  ['/api/v2/search/advanced/profiles', '/search/advanced/profiles'],
  ['/v1/passports/7', '/api/v1/passports/{id}'],
  ['/api/v1//nothing', '/api/v1/passports'],
  ...['/api/', '/API/V1/passports', '//api/v9//x', '/%zz', '/constructor', '/favicon.ico', '/health/'].map(
    (path) => [path, '/api/v1/passports'] as const,
  ),
  ['/%2e%2e/etc', '/api/v1/passports'],
])(
  'the unknown path %s gets 404 as JSON that names the nearest path, and a preflight gets 204',
  async (path, nearest) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, headers, body } = await server.get(path, { method })
      expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([404, '*'])
      expect(body.code).toBe('not_found')
      expect(body.error).toStartWith('There is no path "/')
      expect(body.error).toEndWith(` The nearest path is ${nearest}. docs/migrate.md describes the paths.`)
    }
    expect((await server.get(path, { method: 'OPTIONS' })).status).toBe(204)
  },
)
