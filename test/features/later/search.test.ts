import { expect, test } from 'bun:test'
import { expectGolden } from '../../support/http/golden.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { onEveryEngine } from '../../support/store/engines.ts'
import { ADA_WALLET, GRACE_OLD_WALLET } from '../../support/store/records.ts'
import { PEOPLE } from './people.ts'

const PATH = '/search/advanced/profiles'

onEveryEngine('the search of the later API', (open) => {
  const server = shareServer(() => open(PEOPLE), serveTest)
  const toTarget = (query: unknown) => `${PATH}?query=${encodeURIComponent(JSON.stringify(query))}`
  const post = (body: unknown) => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

  async function idsOf(target: string, init: RequestInit = {}): Promise<number[]> {
    const { status, body } = await server.get(target, init)
    expect(status).toBe(200)
    expect(body.pagination.total).toBe(body.profiles.length)
    return body.profiles.map(({ id }: { id: number }) => id)
  }

  test('a response matches its golden file', async () => {
    expectGolden('later-search', (await server.get(toTarget({ identity: 'flora', exactMatch: true }))).text)
  })

  test.each([
    [{ identity: 'flora', exactMatch: true }, [26]],
    [{ identity: 'flor' }, [26]],
    [{ identity: 'grace' }, [3]],
    [{ identity: 'ada lovelace' }, [7]],
    [{ identity: 'nobody at all' }, []],
    [{ identity: 'human' }, []],
    [{ identity: '' }, []],
    [{ identity: null }, []],
    [{ identity: '"' }, []],
    [{ walletAddresses: null }, []],
    [{ walletAddresses: '' }, []],
    [{ score: { min: -5, max: 9 } }, [25, 12]],
    [{ score: { min: 1e21 } }, []],
    [{ score: { min: 1e-7, max: 9 } }, [25]],
    [{ identity: 'twin', exactMatch: true, score: { min: 1e-7 } }, [23, 22]],
    [{ identity: '\u0301' }, []],
    [{ identity: 7, exactMatch: 1 }, [7]],
    [{ identity: 'twin', identity_type: null, score: { min: '', max: null } }, [23, 22]],
    [{ identity: 'twin', exactMatch: true }, [23, 22]],
    [{ identity: 'twin', identity_type: 'github' }, [23, 22]],
    [{ identity: '501383', identity_type: 'Farcaster' }, [26]],
    [{ identity: 'twin', exactMatch: true, score: { min: 23 } }, [23]],
    [{ identity: 'twin', exactMatch: 'true', score: { max: '22' } }, [22]],
    [{ walletAddresses: [ADA_WALLET, GRACE_OLD_WALLET, '0x0', ''] }, [3, 7]],
    [{ walletAddresses: [ADA_WALLET.toUpperCase().replace('0X', '0x')], identity: 'flora' }, []],
    [{ walletAddresses: [] }, []],
    [{ score: { min: 22, max: 42, scorer: 'Builder Score' } }, [23, 22]],
    [{ score: { min: 1000 } }, []],
    [{}, [3, 7, 23, 22, 26, 25, 12]],
  ])('%j finds %j, by GET and by POST', async (query, ids) => {
    expect(await idsOf(toTarget(query))).toEqual(ids)
    expect(await idsOf(PATH, post({ query }))).toEqual(ids)
    expect(await idsOf(PATH, post({ query: JSON.stringify(query), page: null, per_page: '25' }))).toEqual(ids)
  })

  test('members of query and sort can be parameters, and the list has pages', async () => {
    expect(await idsOf(`${PATH}?query%5Bidentity%5D=twin&query[exactMatch]=true`)).toEqual([23, 22])
    const wallets = `query[walletAddresses][]=${ADA_WALLET}&query[walletAddresses][]=${GRACE_OLD_WALLET}`
    expect(await idsOf(`${PATH}?${wallets}`)).toEqual([3, 7])
    const numbered = `query[walletAddresses][0]=${ADA_WALLET}&query[walletAddresses][1]=${GRACE_OLD_WALLET}`
    expect(await idsOf(`${PATH}?${numbered}&page=`)).toEqual([3, 7])
    expect(await idsOf(`${PATH}?query[score][min]=23&query[score][max]=42&view=any`)).toEqual([23])
    const ascending = 'sort={"score":{"order":"asc"},"id":{"order":"desc"}}'
    expect((await idsOf(`${PATH}?${ascending}`)).at(0)).toBe(12)
    expect((await idsOf(`${PATH}?sort[score][order]=asc`)).at(0)).toBe(12)
    expect(await idsOf(`${PATH}?sort[id][order]=asc`)).toEqual([3, 7, 12, 22, 23, 25, 26])
    expect(await idsOf(`${PATH}?${wallets}&sort={"id":{"order":"desc"}}`)).toEqual([7, 3])
    expect(await idsOf(`${PATH}?${wallets}&sort={"score":{"order":"asc"}}`)).toEqual([7, 3])
    const { body } = await server.get(`${PATH}?per_page=2&page=2`)
    expect(body.profiles.map(({ id }: { id: number }) => id)).toEqual([23, 22])
    expect(body.pagination).toEqual({ current_page: 2, last_page: 4, total: 7 })
    expect((await server.get(PATH, post({ per_page: 2, page: 2 }))).body).toEqual(body)
  })

  test.each([
    ['?query=zoe', 'query must be a JSON object, got "zoe".'],
    ['?query=[]', 'query must be a JSON object, got "[]".'],
    ['?query={"customQuery":{"bool":{}}}', 'query.customQuery is not a known field.'],
    ['?customQuery={}', 'customQuery is not a known field.'],
    [
      '?query={"score":{"min":5,"scorer":"Creator Score"}}',
      'The only score of this service is builder_score',
    ],
    ['?query={"score":{"min":"many"}}', 'query.score.min must be a number, got "many".'],
    ['?query={"identity":["a","b"]}', 'query.identity must be a string'],
    ['?query={"exactMatch":"perhaps"}', 'query.exactMatch must be a boolean, got "perhaps".'],
    ['?query[tags]=a', 'query.tags is not a known field.'],
    ['?query[__proto__][x]=1', 'query.__proto__ is not a known field.'],
    ['?query[constructor][x]=1', 'query.constructor is not a known field.'],
    ['?query[score]=1&query[score][min][x]=2', '"query[score][min][x]" and "score" exclude each other.'],
    ['?keyword=zoe', 'keyword is not a known field.'],
    ['?query={"identity":"zoe"}&query[score][min]=5', '"query[score][min]" and "query" exclude each other.'],
    ['?sort=-score', 'sort must be a JSON object, got "-score".'],
    ['?sort={"name":{"order":"asc"}}', 'sort.name is not a known field.'],
    ['?sort={"score":{"order":"up"}}', 'sort.score.order must be asc or desc, got "up".'],
    ['?sort={"score":{"scorer":"Creator Score"}}', 'The only score of this service is builder_score'],
    ['?page=0', 'page must be at least 1, got 0.'],
    ['?per_page=x', 'per_page must be an integer, got "x".'],
  ])('%s gets 400', async (query, message) => {
    const { status, body } = await server.get(PATH + query)
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.error).toStartWith(message)
  })

  test('a body that is not JSON, or no object, gets an error', async () => {
    const statusOf = async (init: RequestInit) => (await server.get(PATH, { method: 'POST', ...init })).status
    const headers = { 'Content-Type': 'application/json' }
    expect(await statusOf({ headers, body: '{' })).toBe(400)
    expect(await statusOf({ headers, body: '[]' })).toBe(400)
    expect(await statusOf({ headers, body: 'null' })).toBe(400)
    expect(await statusOf({ headers, body: '['.repeat(9000) + ']'.repeat(9000) })).toBe(400)
    expect(await statusOf({ headers: { 'Content-Type': 'text/plain' }, body: '{}' })).toBe(415)
    expect(await statusOf({ headers, body: JSON.stringify({ query: { customQuery: {} } }) })).toBe(400)
  })
})
