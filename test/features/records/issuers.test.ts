import { expect, test } from 'bun:test'
import { pathsOfFrozen } from '../../support/frozen/frozen-versions.ts'
import { serveWrites } from '../../support/http/servers.ts'
import { onEveryEngine, openTestStore } from '../../support/store/engines.ts'
import { ADA_WALLET, NOON, PEOPLE } from '../../support/store/records.ts'

const openPeople = async () => serveWrites(await openTestStore('sqlite', PEOPLE))

const zoe = { passport: 12, type: 'github', account: 'zoe', value: 16 }

onEveryEngine('the issuer of a data point', (open) => {
  test('the issuer of a data point is stored, and shown in credentials and explanations of v3', async () => {
    await using server = await serveWrites(await open(PEOPLE))
    const issuer = await server.clientWith(['read', 'write:github'])
    expect((await issuer.write([zoe])).body.added).toBe(1)
    await server.operator.write([{ passport: 12, type: 'worldcoin', value: true }])
    await server.rescore()
    const { body } = await issuer.get('/api/v3/passports/12?include=credentials,explanation')
    const issuers = body.credentials.map((each: { type: string; issuer: string }) => [each.type, each.issuer])
    expect(issuers.sort()).toEqual([
      ['github', 'github'],
      ['worldcoin', null],
    ])
    const line = body.explanation.lines.find(({ type }: { type: string }) => type === 'github')
    expect(line.accounts).toMatchObject([{ account: 'zoe', issuer: 'github' }])
    for (const path of pathsOfFrozen(12)) expect((await issuer.get(path)).text).not.toContain('issuer')
  })

  test('an issuer may not change or withdraw the data point of another issuer', async () => {
    await using server = await serveWrites(await open(PEOPLE))
    await (await server.clientWith(['write:github'])).write([zoe])
    const other = await server.clientWith(['write:mirror'], ['github'])
    const detail = 'account: the issuer github wrote this data point, and only it may change it.'
    for (const change of [
      { ...zoe, value: 1 },
      { ...zoe, withdrawn: true },
    ]) {
      const { status, body } = await other.write([change])
      expect([status, body.errors]).toEqual([400, [{ line: 1, pointer: '#/records/0/account', detail }]])
    }
    expect((await other.write([{ ...zoe, account: 'zoe-old' }])).status).toBe(200)
    expect((await server.operator.write([{ ...zoe, value: 1 }])).body.changed).toBe(1)
  })
})

test('a key with the scope write:github writes only the types that the rule set or the key gives the issuer', async () => {
  await using server = await openPeople()
  const issuer = await server.clientWith(['write:github'], ['gists'])
  const ens = { passport: 12, type: 'ens', value: 1 }
  const { status, body } = await issuer.write([zoe, ens, { ...ens, withdrawn: true }])
  const detail = 'type: must be one that write:github may write: "gists", "github", got "ens".'
  expect([status, body.errors]).toEqual([
    400,
    [2, 3].map((line) => ({ line, pointer: `#/records/${line - 1}/type`, detail })),
  ])
  expect((await issuer.write([zoe, { passport: 12, type: 'gists', value: 3 }])).body.added).toBe(2)
  const none = await server.clientWith(['write:kites'])
  expect((await none.write([zoe])).body.errors[0].detail).toBe(
    'type: must be one that write:kites may write: no type yet, got "github".',
  )
})

test('a key with the scope write:github writes neither passports nor removals, and no other issuer', async () => {
  await using server = await openPeople()
  const issuer = await server.clientWith(['write:github'])
  const { body } = await issuer.write([
    { passport_id: 30 },
    { passport_id: 7, removed: true },
    { ...zoe, issuer: 'ens' },
  ])
  const detail = 'passport_id: needs a key with the scope write:*, and this key has write:github.'
  expect(body.errors).toEqual([
    { line: 1, pointer: '#/records/0/passport_id', detail },
    { line: 2, pointer: '#/records/1/passport_id', detail },
    { line: 3, pointer: '#/records/2/issuer', detail: 'issuer: must be absent or "github", got "ens".' },
  ])
  for (const path of ['/api/v3/passports/7', '/api/v3/passports/7/merge'])
    expect((await issuer.delete(path)).status).toBe(403)
})

test('a key with the scope write:github writes at most 200 data points of a passport, and others may still write theirs', async () => {
  await using server = await openPeople()
  const issuer = await server.clientWith(['write:github'])
  const points = Array.from({ length: 201 }, (_, at) => ({ ...zoe, account: `${at}` }))
  const { status, body } = await issuer.write(points)
  const detail = 'passport: has 200 data points of the issuer github already, and 200 are accepted.'
  expect([status, body.errors]).toEqual([400, [{ line: 201, pointer: '#/records/200/passport', detail }]])
  expect((await issuer.write(points.slice(1))).body.added).toBe(200)
  expect((await issuer.write([{ ...zoe, account: '200', value: 1 }])).body.changed).toBe(1)
  const other = await server.clientWith(['write:mirror'], ['github'])
  for (const client of [other, server.operator])
    expect((await client.write([{ ...zoe, account: client.id }])).status).toBe(200)
})

test('a key with the scope write:github learns nothing about hidden and removed people: their passports are unknown to it', async () => {
  await using server = await openPeople()
  const issuer = await server.clientWith(['write:github'])
  await issuer.write([zoe, { ...zoe, passport: 7 }])
  await server.store.passports.hide(12, true, NOON)
  await server.store.passports.remove(7, NOON)
  for (const query of ['', '?dry_run=true'])
    for (const more of [{}, { value: 17 }, { account: 'new' }, { withdrawn: true }])
      for (const passport of [12, 7, 999, ADA_WALLET]) {
        const { status, body } = await issuer.write([{ ...zoe, ...more, passport }], query)
        const detail = `passport: there is no passport ${passport} here.`
        expect([status, body.errors]).toEqual([400, [{ line: 1, pointer: '#/records/0/passport', detail }]])
      }
  expect((await server.operator.write([{ ...zoe, value: 17 }])).body.changed).toBe(1)
  expect((await server.operator.write([{ ...zoe, passport: 7 }])).body.removed).toBe(1)
})

test('a key with the scope write:github may not write data points that are made from credentials', async () => {
  await using server = await openPeople()
  const issuer = await server.clientWith(['write:github'])
  const { status, body } = await issuer.write([{ ...zoe, account: 'credential:zoe' }])
  const detail = 'account: must not begin with "credential:", got "credential:zoe".'
  expect([status, body.errors]).toEqual([400, [{ line: 1, pointer: '#/records/0/account', detail }]])
})

test('a key with the scope write:github takes over a data point without an issuer, and cannot choose the time since when the passport has it', async () => {
  await using server = await openPeople()
  const { operator, store } = server
  await operator.write([zoe, { ...zoe, account: 'ada', issuer: 'ens', added_at: '2020-01-01' }])
  const issuer = await server.clientWith(['write:github'])
  const written = await issuer.write([zoe, { ...zoe, account: 'new', added_at: '2020-01-01' }])
  expect(written.body).toMatchObject({ added: 1, changed: 1 })
  const [passport] = await store.records.list(11, 1)
  expect(passport?.dataPoints?.map(({ account, issuer, addedAt }) => [account, issuer, addedAt])).toEqual([
    ['ada', 'ens', Date.UTC(2020, 0, 1)],
    ['new', 'github', NOON],
    ['zoe', 'github', NOON],
  ])
})

test('a key without a scope that writes gets 403', async () => {
  await using server = await openPeople()
  const reader = await server.clientWith(['read', 'events'])
  const { status, body } = await reader.write([zoe])
  expect([status, body.code]).toEqual([403, 'forbidden'])
  expect(body.detail).toStartWith('This request needs a key with the scope write:ISSUER or write:*')
})

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
