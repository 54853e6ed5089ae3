import { expect, test } from 'bun:test'
import { expectGolden } from '../../support/http/golden.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { onEveryEngine } from '../../support/store/engines.ts'
import { ADA_SECOND_WALLET, credential, PEOPLE, record } from '../../support/store/records.ts'

const PATH = '/api/v1/passport_credentials'

onEveryEngine('GET /api/v1/passport_credentials', (open) => {
  const server = shareServer(() => open(PEOPLE), serveTest)

  test('the response lists all credentials by score, then by name, then by id', async () => {
    const { status, text } = await server.get(`${PATH}?passport_id=7`)
    expect(status).toBe(200)
    expectGolden('credentials', text)
  })

  test('passport_id accepts a wallet, and an `id` parameter can replace passport_id', async () => {
    const { text } = await server.get(`${PATH}?passport_id=7`)
    for (const query of [`passport_id=${ADA_SECOND_WALLET.toUpperCase()}`, 'id=7', 'passport_id=7&id=12']) {
      expect((await server.get(`${PATH}?${query}`)).text).toBe(text)
    }
    expect((await server.get(`${PATH}/?id=7`)).text).toBe(text)
  })

  test.each(['', '?', '?passport_id=', '?id=', '?passport_id=&id=7', '?page=2', '?passport_id=12'])(
    'the query %p gets an empty list, because it names no passport or a passport without credentials',
    async (query) => {
      const { status, text } = await server.get(PATH + query)
      expect([status, text]).toEqual([200, '{"passport_credentials":[]}'])
    },
  )

  test('the id of a merged passport finds the credentials of its survivor', async () => {
    await using store = await open([
      record(1, { mergedInto: 2, credentials: [credential('old')] }),
      record(2, { credentials: [credential('new')] }),
    ])
    await using server = serveTest(store)
    expect((await server.get(`${PATH}?passport_id=1`)).body.passport_credentials).toMatchObject([
      { id: 'new' },
    ])
  })

  test.each(['8', 'nobody', '%20', '99999999999999999999', '%ff'])(
    'the passport %p is not found',
    async (ref) => {
      const { status, body } = await server.get(`${PATH}?passport_id=${ref}`)
      expect(status).toBe(404)
      expect(body).toMatchObject({ error: 'Resource not found.', code: 'not_found' })
    },
  )
})
