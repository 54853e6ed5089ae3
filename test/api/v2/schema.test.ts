import { expect, test } from 'bun:test'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { serveTest } from '../../support/http/server.ts'
import { onEngine } from '../../support/store/engines.ts'
import { inventPeople } from '../../support/store/invented-people.ts'

/** Written apart from the schemas of the service, as a client would write them. */
const strict = <T extends Type.TProperties>(fields: T) => Type.Object(fields, { additionalProperties: false })
const text = Type.String()
const number = Type.Number()
const count = Type.Integer({ minimum: 0 })
const flag = Type.Boolean()
const INSTANT = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' })
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const listed = {
  activity_score: number,
  identity_score: number,
  skills_score: number,
  score: number,
  calculating_score: flag,
  connections_count: count,
  human_checkmark: flag,
  last_calculated_at: INSTANT,
  main_wallet: text,
  main_wallet_changed_at: orNull(INSTANT),
  nominations_received_count: count,
  passport_id: count,
  passport_profile: strict({
    bio: text,
    display_name: text,
    image_url: Type.String({ pattern: '^(https?://\\S+)?$' }),
    location: text,
    name: text,
    tags: Type.Array(text),
  }),
  user: strict({ id: text, name: text, email: Type.Null(), admin: flag, profile_picture_url: text }),
  verified: flag,
  verified_wallets: Type.Array(text),
}

const social = strict({
  follower_count: orNull(count),
  following_count: orNull(count),
  location: text,
  profile_bio: text,
  profile_display_name: text,
  profile_image_url: text,
  profile_name: text,
  profile_url: text,
  source: text,
})

const credential = strict({
  id: text,
  earned_at: Type.Union([INSTANT, Type.Literal('')]),
  category: text,
  last_calculated_at: INSTANT,
  max_score: number,
  score: number,
  name: text,
  type: text,
  value: text,
})

const listBody = Compile(
  strict({
    passports: Type.Array(strict(listed)),
    pagination: strict({ current_page: count, last_page: count, total: count }),
  }),
)
const passportBody = Compile(
  strict({ passport: strict({ ...listed, merged: flag, passport_socials: Type.Array(social) }) }),
)
const credentialsBody = Compile(strict({ passport_credentials: Type.Array(credential) }))

onEngine('sqlite', 'the V2 responses', (open) => {
  test('match a strict schema for many demo passports', async () => {
    await using store = await open(inventPeople().slice(0, 120))
    await using server = serveTest(store)
    const read = async (path: string) => (await fetch(`${server.url.origin}/api/v2/${path}`)).json()
    const ids: number[] = []
    for (let page = 1; page <= 2; page++) {
      const body = await read(`passports?page=${page}&per_page=100`)
      expect(listBody.Errors(body)).toEqual([])
      ids.push(...body.passports.map(({ passport_id }: { passport_id: number }) => passport_id))
    }
    expect(new Set(ids).size).toBe(120)
    for (const id of ids) {
      const [passport, credentials] = await Promise.all([
        read(`passports/${id}`),
        read(`passport_credentials?passport_id=${id}`),
      ])
      expect(passportBody.Errors(passport)).toEqual([])
      expect(credentialsBody.Errors(credentials)).toEqual([])
      expect(credentials.passport_credentials.length).toBeGreaterThan(0)
    }
  })
})

test('the strict schema rejects missing, additional and mistyped fields', () => {
  const passport = { passport_id: 1 }
  for (const body of [{ passport }, {}, { passport, more: 1 }, { passport: null }]) {
    expect(passportBody.Check(body)).toBe(false)
  }
})
