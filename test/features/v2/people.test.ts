import { expect, test } from 'bun:test'
import { expectGolden } from '../../support/http/golden.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { onEveryEngine, openTestStore } from '../../support/store/engines.ts'
import {
  ADA_SECOND_WALLET,
  ada,
  credential,
  dataPoint,
  GRACE_OLD_WALLET,
  grace,
  graceOld,
  nobody,
  record,
  social,
} from '../../support/store/records.ts'

const LIST = '/api/v2/passports'
const SEARCH = '/api/v2/search/advanced/passport_app__passports'
const HUMAN = '/api/v2/human_checkmark'
const ID = { headers: { 'X-Request-Id': 'golden' } }

/** Passports whose handles begin with "zoe". The one with the whole handle has the lower score. */
const zoe = record(20, {
  scores: { total: 5 },
  human: true,
  profile: { displayName: 'Someone Else' },
  socials: [social('twitter', 'Zoe'), social('github', 'zoe')],
  dataPoints: [dataPoint('farcaster', 1, 'fid:1042')],
})
const zoella = record(21, { scores: { total: 90 }, socials: [social('twitter', 'zoella')] })
const namedZoe = record(24, { scores: { total: 80 }, profile: { displayName: 'Dr. Zoë' } })
const twins = [22, 23].map((id) => record(id, { scores: { total: id }, socials: [social('github', 'twin')] }))
/** Has a higher score, and a handle that looks like the id of zoe. */
const impostor = record(25, {
  scores: { total: 99 },
  profile: { displayName: 'Im: Postor' },
  socials: [social('github', '20')],
})
/** Known by Farcaster id only from the text of a credential, as in data of V1. */
const flora = record(26, {
  human: true,
  scores: { total: 1 },
  credentials: [credential('f', { type: 'farcaster', value: 'FID: 501383' })],
})
const merged = { ...graceOld, socials: [social('github', 'grace-old')] }
const PEOPLE = [nobody, grace, merged, ada, zoe, zoella, namedZoe, impostor, flora, ...twins]

onEveryEngine('V2 finds people', (open) => {
  const server = shareServer(
    () => open(PEOPLE),
    (store) => serveTest(store, { explorer: true, publicUrl: 'https://passports.example.com' }),
  )

  async function idsOf(target: string): Promise<number[]> {
    const { body } = await server.get(target)
    expect(body.pagination).toEqual({ current_page: 1, last_page: 1, total: body.passports.length })
    return body.passports.map((each: { passport_id: number }) => each.passport_id)
  }

  const toTarget = (query: unknown) => `${SEARCH}?query=${encodeURIComponent(JSON.stringify(query))}`

  test('responses to V2 searches match their golden files', async () => {
    const query = 'query[identity]=twitter:zoe&query[exactMatch]=true'
    expectGolden('v2-search', (await server.get(`${SEARCH}?${query}`)).text)
    expectGolden('v2-search-none', (await server.get(`${SEARCH}?query[identity]=twitter:x`)).text)
    expectGolden('v2-search-unknown-member', (await server.get(toTarget({ tags: ['a'] }), ID)).text)
    expectGolden('v2-list-filter', (await server.get(`${LIST}?filter[farcaster_id]=1042`)).text)
    expectGolden('v2-human-checkmark', (await server.get(`${HUMAN}?id=7`)).text)
    expectGolden('credentials', (await server.get(`${LIST}/7/credentials`)).text)
  })

  test.each([
    [{ identity: 'twitter:zoe', exactMatch: true }, [20]],
    [{ identity: ' Twitter:@ZOE ', exactMatch: true }, [20]],
    [{ identity: 'farcaster:1042', exactMatch: true }, [20]],
    [{ identity: 'farcaster:501383', exactMatch: true }, [26]],
    [{ identity: 'zoe', exactMatch: true }, [20]],
    [{ identity: '@zoe', exactMatch: true }, [20]],
    [{ identity: 'twitter:zo', exactMatch: true }, []],
    [{ identity: 'twitter:zoe' }, [20, 21]],
    [{ identity: 'zoe' }, [20, 21, 24]],
    [{ identity: 'zoe', exactMatch: null }, [20, 21, 24]],
    [{ identity: 'github:twin', exactMatch: true }, [23, 22]],
    [{ identity: 'github:grace-old', exactMatch: true }, [3]],
    [{ identity: 'github:grace' }, [3]],
    [{ identity: '7', exactMatch: true }, [7]],
    [{ identity: ADA_SECOND_WALLET.toUpperCase(), exactMatch: true }, [7]],
    [{ identity: '20', exactMatch: true }, [20, 25]],
    [{ identity: 'im: post' }, [25]],
    [{ identity: '' }, []],
    [{ identity: ' @ ' }, []],
    [{ identity: '\u0301' }, []],
    [{ identity: 'zoe\0' }, []],
    [{ identity: ':' }, [25]],
  ])('a V2 search for %j finds %j', async (query, ids) => {
    expect(await idsOf(toTarget(query))).toEqual(ids)
  })

  test('a V2 search accepts the members of query as parameters, and divides its list into pages', async () => {
    const query = 'query%5Bidentity%5D=github:twin&query[exactMatch]=true&sort={"id":{}}'
    expect(await idsOf(`${SEARCH}/?${query}`)).toEqual([23, 22])
    const second = (await server.get(`${SEARCH}?${query}&page=2&limit=1`)).body
    expect(second.passports[0].passport_id).toBe(22)
    expect(second.pagination).toEqual({ current_page: 2, last_page: 2, total: 2 })
  })

  test.each([
    ['', 'query must have an identity, as in {"identity":"github:zoe","exactMatch":true}, got {}.'],
    ['?query={"exactMatch":true}', 'query must have an identity'],
    ['?query={"identity":["zoe"]}', 'query must have an identity'],
    [
      '?query=zoe',
      'query must be a JSON object such as {"identity":"github:zoe","exactMatch":true}, got "zoe".',
    ],
    ['?query=[]', 'query must be a JSON object'],
    ['?query={"identityy":"x"}', '"identityy" is not a known member of query: did you mean identity?'],
    ['?query[score][min]=5', '"score][min" is not a known member of query: use identity, exactMatch.'],
    ['?query={"__proto__":1}', '"__proto__" is not a known member of query'],
    ['?query[__proto__]=1', '"__proto__" is not a known member of query'],
    ['?query[identity]=zoe&query[exactMatch]=maybe', 'exactMatch must be true or false, got "maybe".'],
    [`?query[identity]=${'x'.repeat(201)}`, 'identity must be at most 200 characters, got 201.'],
    ['?query[identity]=zoe&page=0', 'page must be a whole number from 1, got "0".'],
  ])('a V2 search with %s gets 400', async (query, message) => {
    const { status, body } = await server.get(SEARCH + query)
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.error).toContain(message)
  })

  test.each([
    ['filter[twitter]=zoe', [20]],
    ['filter[twitter]=@ZOE&sort=score', [20]],
    ['filter[farcaster_id]=1042', [20]],
    ['filter[farcaster_id]=501383', [26]],
    ['passport_socials=farcaster:501383', [26]],
    ['passport_socials=github:zoe', [20]],
    ['passport_socials=github:twin', [23, 22]],
    ['passport_socials=github:grace-old', [3]],
    ['passport_socials=7', []],
    ['filter[twitter]=nobody', []],
    ['filter[twitter]=', []],
    ['filter[twitter]=%00', []],
    ['filter[twitter]=zoe&filter[farcaster_id]=1042', [20]],
    ['filter[twitter]=zoella&filter[farcaster_id]=1042', []],
  ])('the V2 list with %s has %j', async (query, ids) => {
    expect(await idsOf(`${LIST}?${query}`)).toEqual(ids)
  })

  test('in V2, limit is another name of per_page', async () => {
    const [text, other] = [await server.get(`${LIST}?limit=2`), await server.get(`${LIST}?per_page=2`)]
    expect(text.text).toBe(other.text)
    expect((await server.get(`${LIST}?per_page=2&limit=9`)).text).toBe(other.text)
    expect((await server.get(`${LIST}?limit=0`)).body.error).toBe(
      'limit must be a whole number from 1, got "0".',
    )
    const v1 = await server.get('/api/v1/passports?limit=2')
    expect(v1.text).toBe((await server.get('/api/v1/passports')).text)
  })

  test('in V2, search is another name of keyword', async () => {
    const ids = await idsOf(`${LIST}?keyword=postor`)
    expect(ids).toEqual([25])
    expect(await idsOf(`${LIST}?search=postor`)).toEqual(ids)
    expect(await idsOf(`${LIST}?keyword=postor&search=zoe`)).toEqual(ids)
    const { body } = await server.get(`${LIST}?search=${'x'.repeat(201)}`)
    expect(body.error).toBe('search must be at most 200 characters, got 201.')
    const v1 = await server.get('/api/v1/passports?search=postor')
    expect(v1.text).toBe((await server.get('/api/v1/passports')).text)
  })

  test.each([
    ['id=20', true],
    ['id=12', false],
    [`id=${GRACE_OLD_WALLET}`, false],
    [`id=${ADA_SECOND_WALLET}&account_source=Wallet`, true],
    ['id=1042&account_source=farcaster', true],
    ['id=501383&account_source=farcaster', true],
    ['id=github:zoe', true],
  ])('the human checkmark for %s is %p', async (query, isHuman) => {
    expect((await server.get(`${HUMAN}?${query}`)).body).toEqual({ human_checkmark: isHuman })
  })

  test.each([
    `${HUMAN}`,
    `${HUMAN}?id=`,
    `${HUMAN}?id=4711`,
    `${HUMAN}?id=7&account_source=farcaster`,
    `${HUMAN}?id=20&account_source=wallet`,
    `${HUMAN}?id=github:twin`,
    `${LIST}/4711/credentials`,
    `${LIST}/x%00/credentials`,
  ])('%s gets the 404 of V1', async (target) => {
    const { status, body } = await server.get(target)
    expect([status, body.error]).toEqual([404, 'Resource not found.'])
  })
})

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
