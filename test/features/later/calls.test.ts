import { expect, test } from 'bun:test'
import { servePeople } from '../../support/explorer/explorer-server.ts'
import { expectGolden } from '../../support/http/golden.ts'
import { serveRecords, serveTest, shareServer } from '../../support/http/server.ts'
import { limited } from '../../support/http/servers.ts'
import { ServiceError } from '../../support/program/errors.ts'
import { onEveryEngine } from '../../support/store/engines.ts'
import { ADA_SECOND_WALLET, ADA_WALLET, GRACE_OLD_WALLET } from '../../support/store/records.ts'
import { PEOPLE } from './people.ts'

const CALLS = [
  'score',
  'scores',
  'profile',
  'credentials',
  'socials',
  'human_checkmark',
  'accounts',
  'data_points',
]

onEveryEngine('the later API', (open) => {
  const server = shareServer(
    () => open(PEOPLE),
    (store) => serveTest(store, { explorer: true, publicUrl: 'https://passports.example.com' }),
  )

  test('responses match their golden files', async () => {
    for (const name of CALLS) expectGolden(`later-${name}`, (await server.get(`/${name}?id=7`)).text)
    expectGolden('later-accounts-farcaster', (await server.get('/accounts?id=26')).text)
    expectGolden('later-data_points-github', (await server.get('/data_points?id=26&slugs=github')).text)
    expectGolden('later-farcaster_scores', (await server.get('/farcaster/scores?fids=501383,1')).text)
    const golden = { headers: { 'X-Request-Id': 'golden' } }
    expectGolden('later-unknown', (await server.get('/score?id=4711', golden)).text)
    expectGolden('later-scorer', (await server.get('/score?id=7&scorer_slug=creator_score', golden)).text)
  })

  test.each([
    ['id=7', 7],
    ['id=007', 7],
    [`id=${ADA_WALLET.toUpperCase().replace('0X', '0x')}`, 7],
    [`wallet=${ADA_SECOND_WALLET}`, 7],
    [`wallet=${ADA_WALLET}&id=12`, 7],
    [`id=${ADA_WALLET}&account_source=wallet`, 7],
    [`id=${GRACE_OLD_WALLET}&source=wallet`, 3],
    ['id=900', 3],
    ['id=lens:ada', 7],
    ['id=ada', 7],
    ['id=@ADA', 7],
    ['id=ada&source=lens', 7],
    ['id=ada&account_source=Lens', 7],
    ['id=ada.eth&account_source=ens', 7],
    ['id=7&account_source=github', 25],
    ['id=501383&account_source=farcaster', 26],
    ['id=501383', 26],
    ['id=flora&account_source=farcaster', 26],
    ['id=flora-dev', 26],
  ])('%s names passport %d', async (query, id) => {
    const { status, body } = await server.get(`/profile?${query}`)
    expect([status, body.profile?.id]).toEqual([200, id])
  })

  test.each([
    'id=4711',
    'id=nobody-here',
    'id=7&account_source=wallet',
    'id=7&account_source=farcaster',
    'id=ada&account_source=github',
    'wallet=7',
    'wallet=0xdead',
    'id=%00',
    'id=a:b:c',
    `id=${'x'.repeat(400)}`,
  ])('%s names nobody, and every call responds with 404', async (query) => {
    for (const name of CALLS) {
      const { status, body } = await server.get(`/${name}?${query}`)
      expect([name, status, body.error]).toEqual([name, 404, 'Resource not found.'])
    }
  })

  test.each([
    ['', 'id must be a wallet, a passport id or a handle, or wallet must be given.'],
    ['?id=', 'id must be a wallet'],
    ['?id=twin', '"twin" is a handle of the passports 22, 23: use an id.'],
    ['?id=twin&source=github', '"twin" is a handle of the passports 22, 23: use an id.'],
    [
      '?id=7&scorer_slug=creator_score',
      'The only score of this service is builder_score, got "creator_score".',
    ],
  ])('a request with "%s" gets 400 from every call', async (query, message) => {
    for (const name of CALLS) {
      const { status, body } = await server.get(`/${name}${query}`)
      expect([status, body.code]).toEqual([400, 'invalid_request'])
      expect(body.error).toStartWith(message)
    }
  })

  test('slug and slugs select credentials and data points', async () => {
    const slugsOf = async (query: string) =>
      (await server.get(`/credentials?id=7&${query}`)).body.credentials.map(
        ({ slug }: { slug: string }) => slug,
      )
    expect(await slugsOf('slug=github')).toEqual(['github'])
    expect(await slugsOf('slugs=github,basename')).toEqual(['github', 'basename'])
    expect(await slugsOf('slugs[]=github&slugs[]=basename')).toEqual(['github', 'basename'])
    expect(await slugsOf('slugs=&slug=')).toHaveLength(6)
    expect(await slugsOf('slug=nothing')).toEqual([])
    expect((await server.get('/data_points?id=26&slug=other')).body.data_points).toEqual([])
  })

  test.each(['', '?fids=', '?fids=a', '?fids=1,,2', '?fids=-1', `?fids=${Array(101).fill('1').join(',')}`])(
    'scores by Farcaster ids with "%s" get 400',
    async (query) => {
      const { status, body } = await server.get(`/farcaster/scores${query}`)
      expect([status, body.error]).toEqual([400, 'fids must be 1 to 100 Farcaster ids, separated by commas.'])
    },
  )

  test.each(['fids=501383,7', 'fids=501383&fids=7', 'fids[]=501383&fids[]=7'])(
    'scores by Farcaster ids with %s are those of the known ids',
    async (query) => {
      const { scores } = (await server.get(`/farcaster/scores?${query}`)).body
      expect(scores).toMatchObject([{ fid: 501383, points: 11 }])
    },
  )

  test('a response has the ETag, the headers and the CORS of V2', async () => {
    const first = await server.get('/score?id=7')
    const known = { headers: { 'If-None-Match': first.headers.get('ETag') ?? '' } }
    expect((await server.get('/score?id=7', known)).status).toBe(304)
    const v2 = await server.get('/api/v2/human_checkmark?id=7')
    const namesOf = ({ headers }: typeof v2) => [...headers.keys()].filter((name) => name !== 'date')
    expect(namesOf(first)).toEqual(namesOf(v2))
    expect(first.headers.get('Deprecation')).toBe('@1743379200')
    expect(await (await fetch(`${server.url.origin}/score/?id=7`)).text()).toBe(first.text)
  })

  test('the path of the credentials is also a page: whoever prefers it gets it', async () => {
    const typeOf = async (query: string, headers: Record<string, string>) =>
      (await server.get(`/credentials${query}`, { headers })).headers.get('Content-Type')
    const browser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    expect(await typeOf('', { Accept: '*/*' })).toBe('application/json')
    expect(await typeOf('?id=7', { Accept: '*/*' })).toBe('application/json')
    expect(await typeOf('?id=7', browser)).toBe('application/json')
    expect(await typeOf('', { ...browser, 'X-API-KEY': 'ppd_unknown' })).toBe('application/json')
    const { headers } = await server.get('/credentials?id=7', { headers: browser })
    expect(headers.get('Vary')).toBe('Accept, X-API-KEY')
    await using pages = await servePeople(PEOPLE)
    for (const [query, type] of [
      ['', 'text/html; charset=utf-8'],
      ['?id=7', 'application/json'],
    ] as const)
      expect(
        (await pages.look(`/credentials${query}`, { headers: browser })).headers.get('Content-Type'),
      ).toBe(type)
  })
})

test('every response counts as usage under the name of its call', async () => {
  await using server = await limited('anonymous=100/10s')
  for (const name of CALLS) await server.get(`/${name}?id=7`)
  await server.get('/search/advanced/profiles')
  const { counts } = server.usage.take()
  const names = [...CALLS.map((name) => `later_${name}`), 'later_search']
  expect(counts.map(({ endpoint }) => endpoint)).toEqual(names)
})

test('with COMPAT_LATER=false, the paths are unknown', async () => {
  await using server = await serveRecords({ compatLater: false })
  for (const name of CALLS) expect((await fetch(`${server.url.origin}/${name}?id=7`)).status).toBe(404)
})

test('while the index is built, scores have no rank', async () => {
  const fail = () => Promise.reject(new ServiceError('not_ready', 'The index is being built.'))
  await using server = await serveRecords({ index: { call: fail, ask: fail, version: fail } })
  const { status, body } = await server.get('/score?id=7')
  expect([status, body.score.points, body.score.rank_position]).toEqual([200, 42.5, null])
  expect((await server.get('/search/advanced/profiles')).status).toBe(503)
})

const SEARCH = '/search/advanced/profiles'

test.each([
  ['/profile?id=7', 1],
  [`/farcaster/scores?fids=${Array(25).fill('1').join(',')}`, 1],
  [`/farcaster/scores?fids=${Array(100).fill('1').join(',')}`, 4],
  [SEARCH, 5],
  [`${SEARCH}?query=no-json`, 5],
  [`${SEARCH}?per_page=250`, 14],
  [`${SEARCH}?per_page=1&query[walletAddresses][]=0x1${'&query[walletAddresses][]=0x1'.repeat(99)}`, 8],
])('GET %s counts as %d requests', async (path, units) => {
  await using server = await limited('anonymous=100/24h')
  const { headers } = await server.get(path)
  expect(headers.get('RateLimit')).toContain(`r=${100 - units};`)
})
