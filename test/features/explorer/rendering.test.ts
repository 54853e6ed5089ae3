import { expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { readable, serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { shareServer } from '../../support/http/server.ts'
import { createLocalIndex } from '../../support/index/local-index.ts'
import { ClientGone, ServiceError } from '../../support/program/errors.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { inventPeople } from '../../support/store/invented-people.ts'
import { credential, named, record } from '../../support/store/records.ts'

/** A server that counts how often it renders pages and pictures. */
async function serveCounted() {
  const credentials = Array.from({ length: 3 }, (_, at) => credential(`${at}`))
  const counted = { rendered: 0 }
  function count<T>(result: T): T {
    counted.rendered++
    return result
  }
  const server = await servePeople([{ ...named(1, 'Ada', 1), credentials }, named(2, 'Grace', 2)], {
    replace: ({ call }) => ({ call: (...request) => count(call(...request)) }),
    rasterize: () => count(Promise.resolve(new Uint8Array(4))),
  })
  return { ...server, counted }
}

test.each([
  ['/', ['/?x=1', '/?', '/?utm_source=a&page=1', '/?page=1&page=7', '/?sort=-score&q=+', '/?filter=']],
  ['/?page=1', ['/?page=01', '/']],
  ['/?q=ada', ['/?q=ada&x=1', '/?x=1&q=+ada+&filter=']],
  ['/card/1.png', ['/card/1.png?x=1', '/card/1.png?theme=dark']],
  ['/card/site.png', ['/card/site.png?x=1']],
  ['/badge/1.svg?show=top', ['/badge/1.svg?show=top&x=1', '/badge/1.svg?style=none&show=top&theme=red']],
])('%s is rendered once, even if later requests add unknown or default parameters', async (target, same) => {
  await using server = await serveCounted()
  const first = await server.look(target)
  expect(first.status).toBe(200)
  const { rendered } = server.counted
  expect(rendered).toBeGreaterThan(0)
  for (const each of same) expect([each, (await server.look(each)).text]).toEqual([each, first.text])
  expect(server.counted.rendered).toBe(rendered)
})

test('the same page with other parameter values is cached separately', async () => {
  await using server = await serveCounted()
  for (const targets of [
    ['/', '/?sort=-skills_score', '/?filter=human:true', '/?filter=human:false'],
    ['/badge/1.svg', '/badge/1.svg?theme=dark', '/badge/1.svg?show=level'],
  ]) {
    const texts = await Promise.all(targets.map(async (target) => (await server.look(target)).text))
    expect(new Set(texts).size).toBe(targets.length)
  }
  expect((await server.look('/passports/1/credentials')).status).toBe(200)
  expect((await server.look('/passports/1/credentials?page=2')).status).toBe(404)
})

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

const ADA = record(1, {
  profile: { displayName: 'Ada', tags: ['zk'] },
  scores: { total: 3, activity: 1, identity: 1, skills: 1 },
})

/** Work that ends only when its client disconnects. */
function createEndlessWork() {
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const work = (signal: AbortSignal | undefined) =>
    new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => {
        ended.resolve()
        reject(new ClientGone())
      })
      started.resolve()
    })
  return { started: started.promise, ended: ended.promise, work }
}

type Endless = ReturnType<typeof createEndlessWork>
type Replaced = Parameters<typeof servePeople>[1]

const evaluate = ({ work }: Endless): Replaced => ({
  index: {
    version: () => 1,
    call: (_name, _argument, signal) => work(signal),
    ask: (_question, _argument, signal) => work(signal),
  },
})
const draw = ({ work }: Endless): Replaced => ({ rasterize: (_svg, _width, signal) => work(signal) })

test.each([
  ['/?q=ada', 'evaluation', evaluate],
  ['/credentials/github', 'evaluation', evaluate],
  ['/compare?ids=1,2', 'evaluation', evaluate],
  ['/movers', 'comparison', evaluate],
  ['/movers.atom', 'comparison', evaluate],
  ['/passports/1', 'evaluation', evaluate],
  ['/badge/1.svg?show=top', 'evaluation', evaluate],
  ['/card/1.png', 'evaluation', evaluate],
  ['/card/1.png', 'drawing', draw],
  ['/card/site.png', 'drawing', draw],
  ['/favicon.ico', 'drawing', draw],
] as const)('a request for %s ends its %s when the client disconnects', async (target, _, make) => {
  const endless = createEndlessWork()
  await using server = await servePeople([ADA, { ...ADA, id: 2, mainWallet: '' }], {
    rasterize: async (svg) => new TextEncoder().encode(svg),
    ...make(endless),
  })
  const client = new AbortController()
  const response = server.look(target, { signal: client.signal }).catch(() => 'gone')
  await endless.started
  client.abort()
  await endless.ended
  expect(await response).toBe('gone')
})

const CROWD = inventPeople()

/** Starts a new server for each request, so that no page is cached. All servers share the index. */
function serveSearches(store: Store) {
  const index = createLocalIndex(store)
  return {
    async look(target: string) {
      let calls = 0
      const call: typeof index.call = (...request) => {
        calls++
        return index.call(...request)
      }
      const rasterize = async () => new Uint8Array(4)
      await using server = serveExplorer(store, { index, replace: () => ({ call }), rasterize })
      const { status, text } = await server.look(target)
      return { status, text, calls }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

const server = shareServer(() => openTestStore('sqlite', CROWD), serveSearches)

test.each([
  '/',
  '/?filter=tag:solidity,location:Lisbon,human:true',
  '/?q=a',
  '/?q=42',
  '/?q=a&sort=-skills_score',
  '/?q=e&filter=tag:solidity&sort=-identity_score',
  '/?q=solidity+lisb',
  '/?q=human+builders+in+lisbon+github+score:%3C300',
  '/?q=sparowbridge',
  // A word of accents alone is empty when folded.
  '/?q=qqqq+%CC%81',
  '/?q=builders+without+github+in+lisbon+or+lagos',
  '/?q=ytties+wcwiddies+ecties+plorkies+quanties+brimies+toltries+glempies+drackies+wompies+fnordies+zuppies',
  '/credentials',
  '/credentials/github',
])('the page %s is one call of the index', async (target) => {
  const { status, calls } = await server.look(target)
  expect([target, status, calls]).toEqual([target, 200, 1])
})

test.each(['/passports/1', '/compare?ids=1,2,3,4', '/card/1.png', '/about'])(
  'the page %s is at most four calls of the index',
  async (target) => {
    const { status, calls } = await server.look(target)
    expect([target, status]).toEqual([target, 200])
    expect(calls).toBeLessThanOrEqual(4)
  },
)
