import { expect, test } from 'bun:test'
import * as examples from '../../../src/core/api/examples.ts'
import { EXAMPLE } from '../../../src/core/http/openapi-parts.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest } from '../../support/http/server.ts'
import { fillWithDemo } from '../../support/store/demo.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { DEFAULT_RULES, rescoreSome } from '../../support/store/scoring.ts'

const SELECT = 'passport_id,score,human_checkmark,passport_profile'

test('the examples of the API are responses of the demo, with the first items of lists only', async () => {
  const now = () => EXAMPLE.calculatedAt
  await using store = await openTestStore('sqlite', [])
  await fillWithDemo(store, now())
  await rescoreSome({
    store,
    rules: DEFAULT_RULES,
    now,
    onFailure: (_, error) => expect.unreachable(String(error)),
  })
  await using server = serveTest(store, { now })
  const get = async (path: string) => (await server.get(`/api/v3/${path}`)).body

  const { credentials, explanation, passport_socials, ...passport } = examples.PASSPORT
  const shown = await get('passports/42?include=credentials,standing,explanation')
  expect(shown).toMatchObject(passport)
  expect(shown.passport_socials).toMatchObject({ 0: passport_socials?.[0] ?? {} })
  expect(shown.credentials).toContainEqual(credentials?.[0])
  expect(shown.explanation.lines).toContainEqual(explanation?.lines?.[0])

  const { next, ...list } = examples.LIST
  expect(await get(`passports?limit=2&select=${SELECT}`)).toEqual({
    ...list,
    next: expect.any(String),
  })
  expect(next).not.toBeEmpty()
  expect(await get(`search?q=human+in+reykjavik&limit=1&select=${SELECT}`)).toEqual(examples.SEARCH)
  expect(await get('scores')).toEqual(examples.SCORES)
  expect(await get('passports/42/diff?from=2026-10-01')).toEqual(examples.DIFF)
  expect(await get(`rules/${EXAMPLE.rules}`)).toMatchObject(examples.RULE_SET)

  const { key } = await makeKey(store, 1)
  const headers = { 'X-API-KEY': key, 'Content-Type': 'application/json' }
  const body = JSON.stringify(examples.LOOKUP_REQUEST)
  expect((await server.get('/api/v3/lookup', { method: 'POST', headers, body })).body).toEqual(
    examples.LOOKUP,
  )
})
