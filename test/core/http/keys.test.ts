import { describe, expect, spyOn, test } from 'bun:test'
import { formatKey, KEY_RANDOM_BYTES, makeKey } from '../../support/http/keys.ts'
import { serveRecords, serveTest } from '../../support/http/server.ts'
import { NOON } from '../../support/store/records.ts'

test('no cache stores the plain text of a key', async () => {
  await using server = await serveRecords()
  const { init, key } = await makeKey(server.store, 1)
  const set = spyOn(Map.prototype, 'set')
  for (let count = 0; count < 3; count++) await server.get('/api/v3/passports/7', init)
  const kept = set.mock.calls.flat()
  set.mockRestore()
  expect(kept.length).toBeGreaterThan(0)
  expect(kept.some((value) => typeof value === 'string' && value.includes(key))).toBe(false)
})

describe('keys', () => {
  test('if keys are required, the key must be in the header, and paths outside the API need no key', async () => {
    await using server = await serveRecords({ requireKey: true })
    const { key } = await makeKey(server.store, 1)
    for (const name of ['X-API-KEY', 'api_key', 'key']) {
      const path = `/api/v3/passports?${name}=${key}`
      const { status, body } = await server.get(path)
      expect([status, body.code]).toEqual([401, 'unauthorized'])
    }
    for (const path of ['/health', '/ready', '/openapi.json', '/reference'])
      expect((await server.get(path)).status).toBe(200)
  })

  test('a 401 says how to get a key, if the operator has set it', async () => {
    const keyHelp = 'https://example.com/keys'
    await using server = await serveRecords({ requireKey: true, keyHelp })
    const { status, body } = await server.get('/api/v3/passports/7')
    expect([status, body.detail]).toEqual([
      401,
      'The header X-API-KEY must have a valid key. How to get one: https://example.com/keys',
    ])
    await using silent = serveTest(server.store, { requireKey: true })
    const { body: problem } = await silent.get('/api/v3/passports/7')
    expect(problem.detail).toBe('The header X-API-KEY must have a valid key.')
  })

  test.each(['', ' ', 'undefined', 'null', 'None'])('the key %p is treated as missing', async (value) => {
    await using free = await serveRecords()
    await using strict = serveTest(free.store, { requireKey: true })
    const init = { headers: { 'X-API-KEY': value } }
    expect((await free.get('/api/v3/passports', init)).status).toBe(200)
    expect((await strict.get('/api/v3/passports', init)).status).toBe(401)
  })

  test('an unknown, revoked or expired key gets 401, even if keys are optional', async () => {
    await using server = await serveRecords()
    const unknown = formatKey(new Uint8Array(KEY_RANDOM_BYTES).fill(9)).key
    const revoked = await makeKey(server.store, 1, { revokedAt: 1 })
    const expired = await makeKey(server.store, 2, { expiresAt: NOON })
    const live = await makeKey(server.store, 3, { expiresAt: NOON + 1 })
    const forged = live.key.slice(0, -1) + (live.key.endsWith('0') ? '1' : '0')
    for (const key of [unknown, revoked.key, expired.key, forged, 'x', live.id, `${live.key}, ${live.key}`]) {
      const { status, body } = await server.get('/api/v3/passports', { headers: { 'X-API-KEY': key } })
      expect(status).toBe(401)
      expect(body).toMatchObject({
        detail: 'The header X-API-KEY must have a valid key.',
        code: 'unauthorized',
      })
      expect(JSON.stringify(body)).not.toContain(key)
    }
    expect((await server.get('/api/v3/passports', live.init)).status).toBe(200)
    await server.store.keys.revoke(live.id, 5)
    expect((await server.get('/api/v3/passports', live.init)).status).toBe(401)
  })
})
