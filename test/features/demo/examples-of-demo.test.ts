import { expect, test } from 'bun:test'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest } from '../../support/http/server.ts'
import { fillWithDemo } from '../../support/store/demo.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { DEFAULT_RULES, rescoreSome } from '../../support/store/scoring.ts'

const FOLDER = '../../../src/features'
const names = ['v1', 'passports', 'events', 'rules', 'later']
const files = await Promise.all(names.map((name) => import(`${FOLDER}/${name}/examples.json`)))
const EXAMPLES = Object.assign({}, ...files.map((file) => file.default))

const SELECT = 'passport_id,score,human_checkmark,passport_profile'

type Listed = { passport_socials?: readonly object[]; credentials?: readonly object[] }

/** Checks an example that has only the first items of its lists. */
function expectPart(body: Listed, { passport_socials: [social] = [], credentials = [], ...rest }: Listed) {
  expect(body).toMatchObject(rest)
  if (social) expect(body.passport_socials?.[0]).toEqual(social)
  for (const credential of credentials) expect(body.credentials).toContainEqual(credential)
}

test('the examples of the API are responses of the demo, with the first items of lists only', async () => {
  const now = () => Date.parse(EXAMPLES.getPassport.response.passport.last_calculated_at)
  await using store = await openTestStore('sqlite', [])
  await fillWithDemo(store, now())
  await rescoreSome({
    store,
    rules: DEFAULT_RULES,
    now,
    onFailure: (_, error) => expect.unreachable(String(error)),
  })
  await using server = serveTest(store, { now })
  const get = async (path: string) => (await server.get(`/api/${path}`)).body

  const { explanation, ...passport } = EXAMPLES.getPassportV3.response
  const shown = await get('v3/passports/42?include=credentials,standing,explanation')
  expectPart(shown, passport)
  expect(shown.explanation.lines).toContainEqual(explanation.lines[0])

  const { next, ...list } = EXAMPLES.listPassportsV3.response
  expect(await get(`v3/passports?limit=2&select=${SELECT}`)).toEqual({ ...list, next: expect.any(String) })
  expect(next).not.toBeEmpty()
  const search = `v3/search?q=human+in+reykjavik&limit=1&select=${SELECT}`
  expect(await get(search)).toEqual(EXAMPLES.searchPassportsV3.response)
  expect(await get('v3/scores')).toEqual(EXAMPLES.getScoresV3.response)
  expect(await get('v3/passports/42/diff?from=2026-10-01')).toEqual(EXAMPLES.getDiff.response)
  expect(await get(`v3/rules/${passport.rules}`)).toMatchObject(EXAMPLES.getRules.response)

  expectPart((await get('v1/passports/42')).passport, EXAMPLES.getPassport.response.passport)
  const credentials = (await get('v1/passport_credentials?passport_id=42')).passport_credentials
  expectPart({ credentials }, { credentials: EXAMPLES.listCredentials.response.passport_credentials })

  const { key } = await makeKey(store, 1)
  const headers = { 'X-API-KEY': key, 'Content-Type': 'application/json' }
  const body = JSON.stringify(EXAMPLES.lookUp.request)
  expect((await server.get('/api/v3/lookup', { method: 'POST', headers, body })).body).toEqual(
    EXAMPLES.lookUp.response,
  )
})
