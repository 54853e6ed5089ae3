import { describe, expect, test } from 'bun:test'
import { CALLS } from '../../../support/http/calls-of-all-routes.ts'
import { fields, LIST, limited } from '../../../support/http/servers.ts'
import { adoptRules, DEFAULT_RULES } from '../../../support/store/scoring.ts'

const READS = CALLS.filter(({ route }) => route.methods === undefined)

describe('the cost of a 304', () => {
  test.each([...READS.filter(({ route }) => route.isCheap).map(({ path }) => path)])(
    'in each window, the first 304s of %s are free: ten times as many as the limit',
    async (path) => {
      await using server = await limited('anonymous=3/10s')
      await adoptRules({ store: server.store, rules: DEFAULT_RULES })
      const etag = (await server.anonymous(path)).headers.get('ETag') ?? ''
      const again = () => server.anonymous(path, '192.0.2.1', { 'If-None-Match': etag })
      for (let turn = 0; turn < 30; turn++)
        expect(fields(await again()).slice(0, 3)).toEqual([
          304,
          '"anonymous";q=3;w=10',
          '"anonymous";r=2;t=10',
        ])
      expect(fields(await again())[2]).toBe('"anonymous";r=1;t=10')
      expect(fields(await again())[2]).toBe('"anonymous";r=0;t=10')
      expect((await again()).status).toBe(429)
      server.clock.time += 10_000
      expect(fields(await again()).slice(0, 3)).toEqual([304, '"anonymous";q=3;w=10', '"anonymous";r=3;t=10'])
    },
  )

  test.each([
    ...READS.filter(({ route }) => !route.isCheap).map(({ path }) => path),
    ...[`${LIST}?q=a`, '/api/v3/passports/7?include=%65xplanation'],
    '/api/v3/passports/7?as_of=2026-01-02T12:00:00Z',
  ])('a 304 of %s counts toward the limit', async (path) => {
    await using server = await limited('standard=30/10s')
    const key = await server.makeKey(1, 'standard')
    const first = await server.with(key, path)
    const again = await server.with(key, path, { 'If-None-Match': first.headers.get('ETag') ?? '' })
    expect([first.status, again.status]).toEqual([200, 304])
    expect(fields(again)[2]).not.toBe(fields(first)[2])
  })

  test.each(READS)('a 304 of $route.name for If-None-Match: * counts toward the limit', async ({ path }) => {
    await using server = await limited('standard=30/10s')
    await adoptRules({ store: server.store, rules: DEFAULT_RULES })
    const key = await server.makeKey(1, 'standard')
    const any = async () => fields(await server.with(key, path, { 'If-None-Match': ' * ' }))
    const [first, again] = [await any(), await any()]
    expect([first[0], again[0]]).toEqual([304, 304])
    expect(again[2]).not.toBe(first[2])
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
