import { expect, test } from 'bun:test'
import { serveWrites } from '../../support/http/writing-server.ts'
import { onEveryEngine, openTestStore } from '../../support/store/engines.ts'
import { ADA_WALLET, NOON, PEOPLE } from '../../support/store/records.ts'

const openPeople = async () => serveWrites(await openTestStore('sqlite', PEOPLE))

onEveryEngine('POST /api/v3/records', (open) => {
  test('the errors name all problems: of malformed lines, and of records that the store refuses', async () => {
    await using server = await serveWrites(await open(PEOPLE))
    const lines = [
      { passport_id: 21, main_wallet: ADA_WALLET },
      { passport_id: 22, score: 'x' },
      { passport_id: 20 },
    ]
    const { body } = await server.operator.write(lines)
    expect(body.errors).toEqual([
      {
        line: 1,
        pointer: '#/records/0/main_wallet',
        detail: `main_wallet: wallet ${ADA_WALLET} belongs to passport 7.`,
      },
      { line: 2, pointer: '#/records/1/score', detail: 'score: must be a number or null, got "x".' },
    ])
    expect((await server.operator.get('/api/v3/passports/20')).status).toBe(404)
  })
})

const NUL = 'must not have the character U+0000'

test.each([
  [{ passport_id: 7, passport: 7 }, '', 'has both passport_id (a passport) and passport (a data point)'],
  [{ passport: 7, type: 'x', value: 1, display: 'a\0' }, 'display', NUL],
  [{ passport_id: 7, passport_profile: { tags: ['a', '\0'] } }, 'passport_profile.tags.1', NUL],
  [
    { passport: 7, type: 'x', value: 1, issuer: 'A B' },
    'issuer',
    'must be the name of an issuer (a-z, 0-9, _ and -, at most 32), got "A B"',
  ],
  [
    { passport_id: 7, credentials: [{ type: 'x', earned_at: '2099-01-01' }] },
    'credentials.0.earned_at',
    'must not be later than a day from now, got "2099-01-01"',
  ],
])('the record %j is refused with a sentence', async (record, field, reason) => {
  await using server = await openPeople()
  const { status, body } = await server.operator.writeLines(JSON.stringify(record))
  const detail = field === '' ? `The record ${reason}.` : `${field}: ${reason}.`
  const pointer = ['#', ...field.split('.').filter(Boolean)].join('/')
  expect([status, body.errors]).toEqual([400, [{ line: 1, pointer, detail }]])
})

test('a date that is a day from now and very deep unknown members are accepted', async () => {
  await using server = await openPeople()
  const earned_at = new Date(NOON + 86_400_000).toISOString()
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const text = `{"passport":7,"type":"x","value":1,"earned_at":"${earned_at}"}\n{"passport_id":20,"x":${deep}}`
  expect((await server.operator.writeLines(text)).body).toMatchObject({ added: 2, unknown_fields: 1 })
})

test('a part that include names twice is refused with a sentence', async () => {
  await using server = await openPeople()
  const { status, body } = await server.operator.get('/api/v3/passports/7?include=credentials,credentials')
  const detail = 'include must name each part once, got "credentials" twice.'
  expect([status, body.errors]).toEqual([400, [{ pointer: '?include', detail }]])
})
