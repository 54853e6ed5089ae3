import { expect, test } from 'bun:test'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { PEOPLE } from '../../support/store/records.ts'

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveTest)

test('an unknown path of v3 gets problem+json, without the headers of V1', async () => {
  for (const path of ['api/v3', 'api/v3/', 'api/v3/nothing', 'api/v3/a/b']) {
    const response = await fetch(server.url + path, { headers: { 'X-Request-Id': 'mine' } })
    expect(response.status).toBe(404)
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.has('Deprecation') || response.headers.has('Link')).toBe(false)
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'Resource not found.',
      code: 'not_found',
      request_id: 'mine',
      errors: [],
    })
  }
})

test('a body above 1 MiB gets problem+json on v3, and an empty 413 elsewhere', async () => {
  const init = { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) }
  const response = await fetch(`${server.url}api/v3/nothing`, init)
  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ title: 'Content Too Large', code: 'content_too_large' })
  const other = await fetch(`${server.url}api/v1/passports`, init)
  expect(other.status).toBe(413)
  expect(await other.text()).toBe('')
})
