import { expect, test } from 'bun:test'
import { expectGolden } from '../../support/http/golden.ts'
import { serveRecords, serveTest, shareServer } from '../../support/http/server.ts'
import { openTestStore, saveRecords } from '../../support/store/engines.ts'
import {
  ADA_SECOND_WALLET,
  ada,
  GRACE_OLD_WALLET,
  grace,
  graceOld,
  NOON,
  nobody,
} from '../../support/store/records.ts'

const LIST = '/api/v2/passports'
const NOMINATED = {
  ...grace,
  imageUrl: 'https://example.com/grace.png',
  mainWalletChangedAt: Date.UTC(2024, 4, 6, 7, 8, 9),
  nominations: 12,
}
const PEOPLE = [nobody, NOMINATED, graceOld, ada]

const server = shareServer(
  () => openTestStore('sqlite', PEOPLE),
  (store) => serveTest(store, { explorer: true, publicUrl: 'https://passports.example.com' }),
)

test('V2 responses match their golden files', async () => {
  expectGolden('v2-list', (await server.get(LIST)).text)
  expectGolden('v2-one', (await server.get(`${LIST}/7`)).text)
  expectGolden('v2-one-recorded', (await server.get(`${LIST}/3`)).text)
  expectGolden('v2-one-unknown', (await server.get(`${LIST}/12`)).text)
  const credentials = await server.get('/api/v2/passport_credentials?passport_id=7')
  expectGolden('credentials', credentials.text)
})

test.each([
  '/passports',
  '/passports/',
  '//passports',
  '/passports?page=2&per_page=1',
  '/passports?page=9',
  '/passports?keyword=love',
  '/passports?keyword=nobody-has-this-name',
  '/passports?page=0',
  `/passports?keyword=${'x'.repeat(201)}`,
  `/passports?keyword=${'x'.repeat(9000)}`,
  '/passports?filter[main_wallet]=0x1&sort=score',
  '/passports/7',
  '/passports/7/',
  '/passports//7',
  `/passports/${ADA_SECOND_WALLET.toUpperCase()}`,
  '/passports/8',
  '/passports/nobody',
  '/passports/900',
  `/passports/${GRACE_OLD_WALLET}`,
  '/passport_credentials',
  '/passport_credentials?passport_id=7',
  '/passport_credentials?id=7',
  '/passport_credentials/?passport_id=900',
  '/passport_credentials?passport_id=8',
])('%p differs from V1 only in the fields that V2 adds', async (target) => {
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) {
    const init = { method, headers: { 'X-Request-Id': 'same' } }
    const v1 = await server.get(`/api/v1${target}`, init)
    const v2 = await server.get(`/api/v2${target}`, init)
    expect(v2.status).toBe(v1.status)
    expect(headersOf(v2.headers)).toEqual(headersOf(v1.headers))
    expect(withoutLaterFields(v2.text)).toBe(v1.text)
  }
})

test('a change of a field that only V2 shows changes the ETag of V2, but not of V1', async () => {
  await using server = await serveRecords({}, [ada])
  const etags = async (version: string) =>
    Promise.all(
      ['', '/7'].map(async (path) =>
        (await server.get(`/api/${version}/passports${path}`)).headers.get('ETag'),
      ),
    )
  const [v1, v2] = [await etags('v1'), await etags('v2')]
  await saveRecords(server.store, [{ ...ada, nominations: 5 }])
  expect(await etags('v1')).toEqual(v1)
  for (const [at, etag] of (await etags('v2')).entries()) expect(etag).not.toBe(v2[at] as string)
  expect((await server.get(LIST)).body.passports[0].nominations_received_count).toBe(5)
  await saveRecords(server.store, [ada])
  expect(await etags('v2')).toEqual(v2)
})

test.each([
  ['image_url', { imageUrl: 'https://example.com/a.png' }],
  ['main_wallet_changed_at', { mainWalletChangedAt: NOON }],
  ['nominations_received_count', { nominations: 2 }],
])('a change of %s, which only V2 shows, has an event', async (field, given) => {
  await using store = await openTestStore('sqlite', [ada])
  const { last } = await store.events.log()
  await saveRecords(store, [{ ...ada, ...given }])
  expect((await store.events.list({ after: last, limit: 9 })).events).toMatchObject([
    { type: 'passport.changed', passportId: 7, fields: [field] },
  ])
})

test('the fields that only V2 shows stay with their passport during a merge', async () => {
  await using server = await serveRecords({}, [{ ...ada, nominations: 2 }, grace])
  const nominationsOf7 = async () => (await server.get(`${LIST}/7`)).body.passport.nominations_received_count
  await server.store.passports.merge(7, 3)
  expect(await nominationsOf7()).toBe(0)
  await server.store.passports.unmerge(7)
  expect(await nominationsOf7()).toBe(2)
})

/** Leaves out headers that depend on the body, the rate limit or the time. Paths of V2 become those of V1. */
function headersOf(headers: Headers) {
  const OMITTED = ['content-length', 'date', 'etag', 'ratelimit']
  return Object.fromEntries(
    [...headers]
      .filter(([name]) => !OMITTED.includes(name))
      .map(([name, value]) => [name, value.replace('/api/v2/', '/api/v1/')]),
  )
}

const LATER = new Set([
  'verified',
  'main_wallet_changed_at',
  'nominations_received_count',
  'user',
  'image_url',
])

/** Turns a V2 body into a V1 body. In V1, the counts of socials are text, and only credentials have a `name`. */
function withoutLaterFields(text: string): string {
  if (text === '') return ''
  return JSON.stringify(
    JSON.parse(text, function (this: object, name, value) {
      const isLater = LATER.has(name) || (name === 'name' && 'display_name' in this)
      if (isLater) return undefined
      return name === 'follower_count' || name === 'following_count' ? String(value) : value
    }),
  )
}
