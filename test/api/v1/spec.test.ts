import { expect, test } from 'bun:test'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { onEveryEngine } from '../../support/store/engines.ts'
import { PEOPLE } from '../../support/store/records.ts'

/** The field tables of the V1 specification, by section. */
const PASSPORT = {
  activity_score: 'number',
  identity_score: 'number',
  skills_score: 'number',
  score: 'number',
  calculating_score: 'boolean',
  connections_count: 'integer',
  human_checkmark: 'boolean',
  last_calculated_at: 'date-time',
  main_wallet: 'string',
  passport_id: 'integer',
  passport_profile: 'object',
  verified_wallets: 'strings',
}
const SINGLE_PASSPORT = { ...PASSPORT, merged: 'boolean', passport_socials: 'objects' }
const PROFILE = { bio: 'string', display_name: 'string', location: 'string', tags: 'strings' }
const SOCIAL = {
  follower_count: 'string',
  following_count: 'string',
  location: 'string',
  profile_bio: 'string',
  profile_display_name: 'string',
  profile_image_url: 'string',
  profile_name: 'string',
  profile_url: 'string',
  source: 'string',
}
const PAGINATION = { current_page: 'integer', last_page: 'integer', total: 'integer' }
const CREDENTIAL = {
  id: 'string',
  earned_at: 'date-time or empty',
  category: 'string',
  last_calculated_at: 'date-time',
  max_score: 'number',
  score: 'number',
  name: 'string',
  type: 'string',
  value: 'string',
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const IS: Record<string, (value: unknown) => boolean> = {
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  strings: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  'date-time': (value) => typeof value === 'string' && INSTANT.test(value),
  'date-time or empty': (value) => value === '' || (typeof value === 'string' && INSTANT.test(value)),
  object: isObject,
  objects: (value) => Array.isArray(value) && value.every(isObject),
}

/** Exactly these fields with these types; none is null. */
function expectShape(value: Record<string, unknown>, shape: Record<string, string>) {
  expect(Object.keys(value).sort()).toEqual(Object.keys(shape).sort())
  for (const [field, type] of Object.entries(shape)) {
    expect(IS[type]?.(value[field]), `${field} should be ${type}, is ${JSON.stringify(value[field])}`).toBe(
      true,
    )
  }
}

onEveryEngine('the shapes of the V1 description', (open) => {
  const server = shareServer(() => open(PEOPLE), serveTest)

  test('sections 2.1, 2.2, 2.4: the list has exactly the specified fields', async () => {
    const { body } = await server.get('/api/v1/passports')
    expect(Object.keys(body)).toEqual(['passports', 'pagination'])
    expectShape(body.pagination, PAGINATION)
    expect(body.passports).toHaveLength(3)
    for (const passport of body.passports) {
      expectShape(passport, PASSPORT)
      expectShape(passport.passport_profile, PROFILE)
    }
  })

  test('sections 2.1, 2.2, 2.3: a passport has exactly the specified fields, full or empty', async () => {
    for (const { id } of PEOPLE) {
      const { body } = await server.get(`/api/v1/passports/${id}`)
      expect(Object.keys(body)).toEqual(['passport'])
      expectShape(body.passport, SINGLE_PASSPORT)
      expectShape(body.passport.passport_profile, PROFILE)
      for (const social of body.passport.passport_socials) expectShape(social, SOCIAL)
    }
    expect((await server.get('/api/v1/passports/7')).body.passport.passport_socials).toHaveLength(1)
  })

  test('section 2.5: credentials have exactly the specified fields', async () => {
    const { body } = await server.get('/api/v1/passport_credentials?passport_id=7')
    expect(Object.keys(body)).toEqual(['passport_credentials'])
    expect(body.passport_credentials).toHaveLength(6)
    for (const credential of body.passport_credentials) expectShape(credential, CREDENTIAL)
  })
})
