import { expect, test } from 'bun:test'
import { readable, servePeople } from '../../support/explorer/explorer-server.ts'
import { ServiceError } from '../../support/program/errors.ts'
import { credential, record } from '../../support/store/records.ts'

const PEOPLE = [
  record(1, {
    profile: { displayName: 'Ana', tags: ['zk'] },
    credentials: [credential('a', { type: 'github', name: 'GitHub' })],
  }),
  record(2, { profile: { displayName: 'Hanna', tags: ['ZK'] } }),
]

const NOT_READY = new ServiceError('not_ready', 'The index is being built: 40 % done. Try again shortly.')

test('while there is no index, pages with lists or ranks respond with 503 and say so', async () => {
  let isReady = false
  await using server = await servePeople(PEOPLE, {
    replace: ({ call, version }) => ({
      call: (...request) => (isReady ? call(...request) : Promise.reject(NOT_READY)),
      version: () => (isReady ? version() : Promise.reject(NOT_READY)),
    }),
  })
  const lists = [
    '/',
    '/?q=an',
    '/?filter=tag:zk',
    '/credentials',
    '/credentials/github',
    '/passports/1',
    '/compare?ids=1,2',
    '/about',
  ]
  for (const path of lists) {
    const { status, headers, text } = await server.look(path)
    expect([path, status, headers.get('Retry-After')]).toEqual([path, 503, '2'])
    expect(readable(text)).toContain('The index is being built: 40 % done.')
    expect(text).toContain('href="">Try again</a>')
  }
  for (const path of ['/passports/1/credentials', '/badge/1.svg'])
    expect([path, (await server.look(path)).status]).toEqual([path, 200])
  isReady = true
  for (const path of lists) expect([path, (await server.look(path)).status]).toEqual([path, 200])
  expect(readable((await server.look('/passports/1')).text)).toContain('1st of 2 people')
  expect(server.leftOut).toEqual([])
  expect(server.errors).toEqual([])
})
