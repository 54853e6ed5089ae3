import { describe, expect, test } from 'bun:test'
import { fields, LIST, limited } from '../../support/http/limited-server.ts'

describe('the cost of a 304', () => {
  test.each(['/api/v1/passports/7', '/api/v1/passport_credentials?passport_id=7'])(
    'a 304 of %s costs nothing, up to ten times the limit in each window',
    async (path) => {
      await using server = await limited('anonymous=3/10s')
      const etag = (await server.anonymous(path)).headers.get('ETag') ?? ''
      const again = () => server.anonymous(path, '192.0.2.1', { 'If-None-Match': etag })
      for (let turn = 0; turn < 30; turn++) {
        expect(fields(await again()).slice(0, 3)).toEqual([
          304,
          '"anonymous";q=3;w=10',
          '"anonymous";r=2;t=10',
        ])
      }
      expect(fields(await again())[2]).toBe('"anonymous";r=1;t=10')
      expect(fields(await again())[2]).toBe('"anonymous";r=0;t=10')
      expect((await again()).status).toBe(429)
      server.clock.time += 10_000
      expect(fields(await again()).slice(0, 3)).toEqual([304, '"anonymous";q=3;w=10', '"anonymous";r=3;t=10'])
    },
  )

  test.each([LIST, `${LIST}?keyword=a`, `${LIST}/7`, '/api/v1/passport_credentials?passport_id=7'])(
    'a 304 of %s for If-None-Match: * counts',
    async (path) => {
      await using server = await limited('anonymous=2/10s')
      const any = () => server.anonymous(path, '192.0.2.1', { 'If-None-Match': ' * ' })
      expect(fields(await any())).toEqual([304, '"anonymous";q=2;w=10', '"anonymous";r=1;t=10', null])
      expect((await any()).status).toBe(304)
      expect((await any()).status).toBe(429)
    },
  )

  test.each([LIST, `${LIST}?keyword=a`])('a 304 of the page %s counts', async (path) => {
    await using server = await limited('anonymous=2/10s')
    const etag = (await server.anonymous(path)).headers.get('ETag') ?? ''
    expect((await server.anonymous(path, '192.0.2.1', { 'If-None-Match': etag })).status).toBe(304)
    expect((await server.anonymous(path)).status).toBe(429)
  })

  test('a 304 that counts toward the limit counts toward the monthly quota too', async () => {
    await using server = await limited('partner=100/10s+3/month')
    const key = await server.makeKey(1, 'partner')
    const path = `${LIST}/7`
    const etag = (await server.with(key, path)).headers.get('ETag') ?? ''
    for (let turn = 0; turn < 5; turn++) {
      expect((await server.with(key, path, { 'If-None-Match': etag })).status).toBe(304)
    }
    for (let turn = 0; turn < 2; turn++) {
      expect((await server.with(key, path, { 'If-None-Match': '*' })).status).toBe(304)
    }
    expect((await server.with(key, path, { 'If-None-Match': etag })).status).toBe(429)
    const counted = server.usage.take().counts.map(({ status, count }) => [status, count])
    expect(counted).toEqual([
      [200, 3],
      [304, 5],
      [429, 1],
    ])
  })
})
