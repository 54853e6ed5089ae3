import { expect, test } from 'bun:test'
import { readable, servePeople } from '../../support/explorer/explorer-server.ts'
import { rowsOf } from '../../support/explorer/ranking-rows.ts'
import { ServiceError } from '../../support/program/errors.ts'
import { credential, record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

const PEOPLE = [
  record(1, {
    profile: { displayName: 'Ana', tags: ['zk'] },
    credentials: [credential('a', { type: 'github', name: 'GitHub' })],
  }),
  record(2, { profile: { displayName: 'Hanna', tags: ['ZK'] } }),
  record(3, { profile: { displayName: 'Ben', tags: ['zk'] } }),
  record(4),
]

test('filtered pages wait until the index is built, and other pages do not', async () => {
  const built = Promise.withResolvers<void>()
  const waiting: AbortSignal[] = []
  await using server = await servePeople(PEOPLE, {
    replace: () => ({
      waitForIndex(signal) {
        if (signal) waiting.push(signal)
        return built.promise
      },
    }),
  })
  const filtered = ['/?tag=zk', '/?sort=skills', '/credentials', '/credentials/github']
  const pages = filtered.map((path) => server.look(path))
  await until(() => waiting.length === filtered.length)
  for (const path of ['/', '/?q=an', '/movers'])
    expect([path, (await server.look(path)).status]).toEqual([path, 200])
  built.resolve()
  for (const { status } of await Promise.all(pages)) expect(status).toBe(200)
})

test.each([
  ['unavailable', 'Temporarily unavailable'],
  ['not_ready', 'Filters are not ready yet'],
] as const)(
  'while the index is %s, filtered pages respond with 503 and a note, and other pages work',
  async (code, title) => {
    let isReady = false
    await using server = await servePeople(PEOPLE, {
      replace: ({ list }) => ({
        list: (...request) =>
          isReady ? list(...request) : Promise.reject(new ServiceError(code, 'The index is not ready.')),
      }),
    })
    const filtered = ['/?tag=zk', '/?sort=skills', '/credentials', '/credentials/github']
    for (const path of filtered) {
      const { status, headers, text } = await server.look(path)
      expect([path, status, headers.get('Retry-After')]).toEqual([path, 503, '2'])
      expect(text).toContain(`<h1>${title}</h1>`)
      expect(text.includes('href="">Try again</a>')).toBe(code === 'not_ready')
    }
    expect(rowsOf((await server.look('/')).text)).toHaveLength(4)
    expect(rowsOf((await server.look('/?q=an')).text)).toHaveLength(2)
    expect(readable((await server.look('/?q=zk')).text)).toContain('No people matching “zk”')
    for (const path of ['/passports/1', '/compare?ids=1,2'])
      expect((await server.look(path)).status).toBe(200)
    isReady = true
    expect((await server.look('/?tag=zk')).status).toBe(200)
    expect(readable((await server.look('/?q=zk')).text)).toContain('3 people tagged “zk”')
    expect((await server.look('/credentials')).status).toBe(200)
    expect(server.leftOut).toEqual([])
    expect(server.errors).toHaveLength(code === 'not_ready' ? 0 : filtered.length)
  },
)
