import { describe, expect, test } from 'bun:test'
import { expectGolden } from '../../support/http/golden.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { onEveryEngine } from '../../support/store/engines.ts'
import {
  ADA_SECOND_WALLET,
  ADA_WALLET,
  GRACE_OLD_WALLET,
  named,
  PEOPLE,
  record,
  SOLANA_WALLET,
} from '../../support/store/records.ts'
import { adoptRules, DEFAULT_RULES, scoreNow } from '../../support/store/scoring.ts'

const LIST = '/api/v1/passports'

onEveryEngine('GET /api/v1/passports', (open) => {
  const server = shareServer(() => open(PEOPLE), serveTest)

  test('the response is a page of passports', async () => {
    const { status, headers, text } = await server.get(LIST)
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('application/json')
    expectGolden('list', text)
  })

  describe('pages', () => {
    const many = Array.from({ length: 300 }, (_, id) => record(id, { scores: { total: 300 - id } }))
    const server = shareServer(() => open(many), serveTest)

    test('a page has 25 passports by default and 250 at most', async () => {
      const shown = async (query: string) => {
        const { passports, pagination } = (await server.get(`${LIST}?${query}`)).body
        return [passports[0]?.passport_id, passports.length, pagination]
      }
      const page = (current_page: number, last_page: number) => ({ current_page, last_page, total: 300 })
      expect(await shown('')).toEqual([0, 25, page(1, 12)])
      expect(await shown('page=&per_page=')).toEqual([0, 25, page(1, 12)])
      expect(await shown('page=12')).toEqual([275, 25, page(12, 12)])
      expect(await shown('page=2&per_page=100')).toEqual([100, 100, page(2, 3)])
      expect(await shown('per_page=251')).toEqual([0, 250, page(1, 2)])
      expect(await shown('per_page=99999999999999999999')).toEqual([0, 250, page(1, 2)])
      expect(await shown('page=2&page=5')).toEqual([25, 25, page(2, 12)])
    })

    test('a page past the end is empty but still has the total', async () => {
      const { status, body } = await server.get(`${LIST}?page=13`)
      expect(status).toBe(200)
      expect(body).toEqual({ passports: [], pagination: { current_page: 13, last_page: 12, total: 300 } })
    })

    test.each([
      'page=0',
      'page=-1',
      'page=x',
      'page=1.5',
      'page=1e3',
      'page=９',
      'per_page=0',
      'per_page=all',
    ])('the parameter %s gets 400 with the received and the accepted values', async (query) => {
      const { status, body } = await server.get(`${LIST}?${query}`)
      const [name, value] = query.split('=')
      expect(status).toBe(400)
      expect(body).toMatchObject({
        error: `${name} must be a whole number from 1, got "${value}".`,
        code: 'invalid_request',
      })
    })
  })

  describe('keyword', () => {
    const people = [
      named(1, 'Ada Lovelace', 9),
      named(2, 'ADÁ  van  Dyk', 8),
      named(3, '100% Bob_by', 7),
      named(4, '李小龍 🐉', 6),
      named(5, 'vitalik.eth', 5),
      named(6, 'Ωmega Ñandú', 4),
      named(7, '', 3),
    ]
    const server = shareServer(() => open(people), serveTest)

    test.each([
      ['ada', [1, 2]],
      ['ÄDA', [1, 2]],
      ['LOVELACE', [1]],
      ['ada van', [2]],
      ['  ada \t van ', [2]],
      ['%', [3]],
      ['_', [3]],
      ['0%', [3]],
      ['a%', []],
      ['龍', [4]],
      ['小龍', [4]],
      ['🐉', [4]],
      ['.eth', [5]],
      ['ω', [6]],
      ['nandu', [6]],
      ['a', [1, 2, 5, 6]],
      ['da', [1, 2]],
      ['AND', [6]],
      ['nobody at all', []],
      ['', [1, 2, 3, 4, 5, 6, 7]],
      [' \t ', [1, 2, 3, 4, 5, 6, 7]],
    ])('the keyword %p finds the passports %p', async (keyword, ids) => {
      const { body } = await server.get(`${LIST}?${new URLSearchParams({ keyword })}`)
      expect(body.passports.map((each: { passport_id: number }) => each.passport_id)).toEqual(ids)
      expect(body.pagination).toEqual({ current_page: 1, last_page: 1, total: ids.length })
    })

    test('search results are split into pages like the list', async () => {
      const { body } = await server.get(`${LIST}?keyword=a&per_page=3&page=2`)
      expect(body.passports).toMatchObject([{ passport_id: 6 }])
      expect(body.pagination).toEqual({ current_page: 2, last_page: 2, total: 4 })
    })

    test('a keyword has at most 200 characters, and an emoji is one character', async () => {
      const ask = (keyword: string) => server.get(`${LIST}?${new URLSearchParams({ keyword })}`)
      expect((await ask('🐉'.repeat(200))).status).toBe(200)
      const { status, body } = await ask('a'.repeat(201))
      expect(status).toBe(400)
      expect(body).toMatchObject({
        error: 'keyword must be at most 200 characters, got 201.',
        code: 'invalid_request',
      })
    })
  })

  test('an empty list has one empty page', async () => {
    await using store = await open()
    await using server = serveTest(store)
    expect((await server.get(LIST)).body).toEqual({
      passports: [],
      pagination: { current_page: 1, last_page: 1, total: 0 },
    })
  })

  test('unknown parameters are ignored', async () => {
    const { text } = await server.get(
      `${LIST}?limit=1&sort_by=name&filter[score]=9&api_key=x&page[]=4&constructor=1`,
    )
    expect(text).toBe((await server.get(LIST)).text)
  })
})

onEveryEngine('GET /api/v1/passports/{id}', (open) => {
  const server = shareServer(() => open(PEOPLE), serveTest)

  test('the response has the passport with the id, and fields without a known value are present and empty', async () => {
    const { status, text, headers } = await server.get(`${LIST}/7`)
    expect(status).toBe(200)
    expect(headers.has('Content-Location')).toBe(false)
    expectGolden('one', text)
    expectGolden('one-unknown', (await server.get(`${LIST}/12`)).text)
  })

  test('calculating_score is true from the adoption of a rule set until the passport is scored', async () => {
    await using store = await open(PEOPLE.map((passport) => ({ ...passport, stale: false })))
    await using server = serveTest(store)
    const isCalculating = async () => [
      (await server.get(`${LIST}/7`)).body.passport.calculating_score,
      (await server.get(`${LIST}?keyword=ada`)).body.passports[0].calculating_score,
    ]
    await adoptRules({ store, rules: { ...DEFAULT_RULES, stamp: 'earlier' } })
    expect(await isCalculating()).toEqual([false, false])
    await adoptRules({ store, rules: { ...DEFAULT_RULES, caps: { Skills: 1 } } })
    expect(await isCalculating()).toEqual([true, true])
    await scoreNow(store, { ...DEFAULT_RULES, caps: { Skills: 1 } })
    expect(await isCalculating()).toEqual([false, false])
  })

  test('a passport is found by each of its wallets, and the letter case of 0x addresses is ignored', async () => {
    const { text } = await server.get(`${LIST}/7`)
    const spellings = [
      ADA_WALLET,
      ADA_SECOND_WALLET.toUpperCase(),
      ADA_WALLET.replace('0xada', '0xAdA'),
      SOLANA_WALLET,
      encodeURIComponent(SOLANA_WALLET).replace('D', '%44'),
      `${ADA_WALLET}/`,
    ]
    for (const spelling of spellings) expect((await server.get(`${LIST}/${spelling}`)).text).toBe(text)
    expect((await server.get(`${LIST}/${SOLANA_WALLET.toLowerCase()}`)).status).toBe(404)
  })

  test('the id of a merged passport returns its survivor, whose path is in Content-Location', async () => {
    for (const ref of ['900', GRACE_OLD_WALLET]) {
      const { status, body, headers } = await server.get(`${LIST}/${ref}`)
      expect(status).toBe(200)
      expect(body.passport).toMatchObject({ passport_id: 3, merged: true })
      expect(headers.get('Content-Location')).toBe('/api/v1/passports/3')
    }
  })

  test.each([
    '8',
    '99999999999999999999999999',
    '-7',
    '7.5',
    'nobody',
    '0x',
    '0xdeadbeef',
    '%ff',
    '%',
    'a%2Fb',
    'x'.repeat(5000),
    '__proto__',
  ])('%s gets 404 with the exact message that clients compare', async (id) => {
    const { status, body } = await server.get(`${LIST}/${id}`, { headers: { 'X-Request-Id': 'r-1' } })
    expect(status).toBe(404)
    expect(body).toEqual({ error: 'Resource not found.', code: 'not_found', request_id: 'r-1' })
  })
})
