import { expect, test } from 'bun:test'
import { serveWrites } from '../../support/http/servers.ts'
import { onEveryEngine, openTestStore } from '../../support/store/engines.ts'
import { ADA_WALLET, GRACE_OLD_WALLET, NOON, PEOPLE } from '../../support/store/records.ts'

const openPeople = async () => serveWrites(await openTestStore('sqlite', PEOPLE))

const BATCH = [
  { passport_id: 20, score: 3, main_wallet: '0x0000000000000000000000000000000000000020' },
  { passport: 20, type: 'github', value: 9, account: 'zoe', display: '9 contributions' },
  { passport: ADA_WALLET, type: 'worldcoin', value: true },
]

onEveryEngine('POST /api/v3/records', (open) => {
  test('a batch of records is stored in one transaction, and the events name the key', async () => {
    await using server = await serveWrites(await open(PEOPLE))
    const { operator, store } = server
    const before = await store.events.log()
    const { status, body, headers } = await operator.write(BATCH)
    expect([status, body]).toEqual([
      200,
      {
        added: 3,
        changed: 0,
        unchanged: 0,
        removed: 0,
        unknown_fields: 0,
        outcomes: [1, 2, 3].map((line) => ({ line, outcome: 'added' })),
        cursor: `${before.name}-${before.last + 1}`,
      },
    ])
    expect(headers.get('Event-Cursor')).toBe(body.cursor)
    expect((await store.events.list({ after: before.last, limit: 9 })).events).toMatchObject([
      { type: 'passport.added', passportId: 20, actor: `key:${operator.id}`, time: NOON },
    ])
    expect((await operator.get('/api/v3/passports/20')).body).toMatchObject({ calculating_score: true })
  })

  test('sending a batch twice changes nothing, as JSON or as NDJSON', async () => {
    await using server = await serveWrites(await open(PEOPLE))
    const { operator, store } = server
    const first = await operator.write(BATCH)
    const lines = BATCH.map((record) => JSON.stringify(record)).join('\n')
    for (const again of [await operator.write(BATCH), await operator.writeLines(lines)]) {
      expect(again.body).toMatchObject({ unchanged: 3, cursor: first.body.cursor })
    }
    expect((await store.events.log()).last).toBe(Number(first.body.cursor.split('-')[1]))
  })

  test('a record is unchanged if its members have another order and its line has blanks', async () => {
    await using server = await serveWrites(await open())
    const { operator } = server
    const record = { passport_id: 20, score: 3, passport_profile: { bio: 'a', tags: ['b', 'c'] } }
    const { cursor } = (await operator.write([record])).body
    const other =
      '{"passport_profile" : {"tags": ["b","c"], "bio": "\\u0061"}, "score": 3.0, "passport_id": 20}'
    expect((await operator.writeLines(other)).body).toMatchObject({ unchanged: 1, cursor })
    expect((await operator.writeLines(other.replace('"c"', '"d"'))).body).toMatchObject({ changed: 1 })
  })

  test('the outcome of a data point of a merged passport names the passport that got it', async () => {
    await using server = await serveWrites(await open(PEOPLE))
    const { operator, store } = server
    const point = { type: 'github', value: 9 }
    const lines = [
      { ...point, passport: 900 },
      { ...point, passport: GRACE_OLD_WALLET, account: 'b' },
      { ...point, passport: 3, account: 'c' },
    ]
    const outcomes = async () => (await operator.write(lines)).body.outcomes
    const outcome = 'added'
    expect(await outcomes()).toEqual([
      { line: 1, outcome, passport_id: 3 },
      { line: 2, outcome, passport_id: 3 },
      { line: 3, outcome },
    ])
    await store.passports.hide(3, true, NOON)
    expect((await outcomes())[0]).toEqual({ line: 1, outcome: 'unchanged' })
  })

  test('if one record is refused, nothing of the batch is stored', async () => {
    await using server = await serveWrites(await open(PEOPLE))
    const { operator, store } = server
    const before = await store.events.log()
    const wallet = { passport_id: 21, main_wallet: ADA_WALLET }
    const unknown = { passport: 404, type: 'github', value: 1 }
    const { status, body } = await operator.write([...BATCH, wallet, unknown])
    expect([status, body.code, body.errors]).toEqual([
      400,
      'invalid_request',
      [
        {
          line: 4,
          pointer: '#/records/3/main_wallet',
          detail: `main_wallet: wallet ${ADA_WALLET} belongs to passport 7.`,
        },
        { line: 5, pointer: '#/records/4/passport', detail: 'passport: there is no passport 404 here.' },
      ],
    ])
    expect(body.detail).toStartWith('Nothing was stored, because 2 of 5 records are invalid. Record 4: ')
    expect(await store.events.log()).toEqual(before)
    expect(await store.passports.find({ id: 20 })).toBeUndefined()
  })

  test('a dry run has the outcomes of a write, and stores nothing', async () => {
    await using server = await serveWrites(await open(PEOPLE))
    const { operator, store } = server
    const before = await store.events.log()
    const { body } = await operator.write(BATCH, '?dry_run=true')
    expect(body).toMatchObject({ added: 3, cursor: `${before.name}-${before.last}` })
    expect(await store.events.log()).toEqual(before)
    expect(await store.passports.find({ id: 20 })).toBeUndefined()
    expect((await operator.write(BATCH, '?dry_run=false')).body.added).toBe(3)
  })

  test('a withdrawn data point is deleted, and its credential is gone after scoring', async () => {
    await using server = await serveWrites(await open(PEOPLE))
    const { operator, rescore } = server
    await operator.write(BATCH)
    await rescore()
    const types = async () => {
      const { body } = await operator.get('/api/v3/passports/20?include=credentials')
      return [body.score, body.credentials.map(({ type }: { type: string }) => type)]
    }
    expect(await types()).toEqual([2, ['github']])
    const withdrawal = { passport: 20, type: 'github', account: 'zoe', withdrawn: true }
    expect((await operator.write([withdrawal])).body).toMatchObject({ changed: 1 })
    expect((await operator.write([withdrawal])).body).toMatchObject({ unchanged: 1 })
    await rescore()
    expect(await types()).toEqual([3, []])
  })
})

test('the records of a batch may be in any order: later records free wallets and add passports', async () => {
  await using server = await openPeople()
  const { body } = await server.operator.write([
    { passport: 21, type: 'github', value: 1 },
    { passport_id: 21, main_wallet: ADA_WALLET },
    { passport_id: 7, display_name: 'Ada' },
  ])
  expect(body.outcomes).toEqual([
    { line: 1, outcome: 'added' },
    { line: 2, outcome: 'added' },
    { line: 3, outcome: 'changed' },
  ])
  expect(body.unknown_fields).toBe(1)
})

test('the records of a batch find the passport that owns a wallet after the batch', async () => {
  await using server = await openPeople()
  const { operator } = server
  const wallets = (...names: string[]) =>
    names.map((main_wallet, at) => ({ passport_id: 31 + at, main_wallet }))
  await operator.write(wallets('a', 'b', 'c'))
  const batch = [...wallets('b', 'c', 'd'), { passport: 'b', type: 'kites', value: 1 }]
  expect((await operator.write(batch)).body).toMatchObject({ added: 1, changed: 3 })
  expect((await operator.write(batch)).body).toMatchObject({ unchanged: 4 })
  expect((await operator.write([{ passport: 31, type: 'kites', value: 1 }])).body.unchanged).toBe(1)
})

test('the records of a batch may not be about the same passport or data point', async () => {
  await using server = await openPeople()
  const { operator } = server
  const detail = 'The record is about the same passport or data point as another record of the request.'
  const twice = await operator.write([
    { passport_id: 21 },
    { passport_id: 22 },
    { passport_id: 21, score: 1 },
  ])
  expect(twice.body.errors).toEqual([{ line: 3, pointer: '#/records/2', detail }])
  const point = { type: 'github', value: 1 }
  const points = await operator.write([
    { passport: 7, ...point },
    { passport: ADA_WALLET, ...point },
  ])
  expect(points.body.errors).toEqual([{ line: 2, pointer: '#/records/1', detail }])
})

test('the records of a batch are ignored if their passport was removed', async () => {
  await using server = await openPeople()
  const { operator } = server
  const removal = { passport_id: 7, removed: true }
  expect((await operator.write([removal])).body.outcomes).toEqual([{ line: 1, outcome: 'changed' }])
  const { body } = await operator.write([{ passport_id: 7 }])
  expect(body).toMatchObject({ removed: 1, outcomes: [{ line: 1, outcome: 'removed' }] })
})

test('the records of a batch may be about data points of two removed passports', async () => {
  await using server = await openPeople()
  const { operator } = server
  await operator.write([7, 8].map((passport_id) => ({ passport_id, removed: true })))
  const points = [7, 8].map((passport) => ({ passport, type: 'github', value: 1 }))
  expect(await operator.write(points)).toMatchObject({ status: 200, body: { removed: 2 } })
})

test('a write counts as one request, and as one more for each record', async () => {
  await using server = await openPeople()
  const remaining = async (count: number) => {
    const points = Array.from({ length: count }, (_, at) => ({ passport: 7, type: `t${at}`, value: 1 }))
    const { headers } = await server.operator.write(points)
    return Number(/r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1])
  }
  const before = await remaining(1)
  expect(before - (await remaining(5))).toBe(1 + 5)
})

test('a refusal names every line and field, with the messages of an import', async () => {
  await using server = await openPeople()
  const lines = [
    '{"passport_id":21,"score":"high","human_checkmark":3}',
    '',
    '{"passport":7,"type":"github"}',
    '{"passport_id":22,"credentials":[{"earned_at":"yesterday"}]}',
    'no JSON',
    '[]',
    '{"id":7}',
  ]
  const { status, body } = await server.operator.writeLines(lines.join('\n'))
  expect(status).toBe(400)
  expect(body.errors).toEqual([
    { line: 1, pointer: '#/score', detail: 'score: must be a number or null, got "high".' },
    { line: 1, pointer: '#/human_checkmark', detail: 'human_checkmark: must be a boolean or null, got 3.' },
    { line: 3, pointer: '#/value', detail: 'value: is missing.' },
    {
      line: 4,
      pointer: '#/credentials/0/earned_at',
      detail:
        'credentials.0.earned_at: must be a date such as 2024-09-27 or 2024-09-27T09:18:56Z, got "yesterday".',
    },
    { line: 5, pointer: '#', detail: 'The record is not JSON: Unexpected identifier "no".' },
    { line: 6, pointer: '#', detail: 'The record must be an object, got [].' },
    {
      line: 7,
      pointer: '#',
      detail:
        'The record is neither a passport (passport_id is missing) nor a data point (passport is missing).',
    },
  ])
})

test.each([
  ['no list', '{"record":[]}', 'The body must be an object with the list "records", got {"record":[]}.'],
  ['an unknown member', '{"records":[{}],"dry_run":true}', '"dry_run" is not a known member: use records.'],
  ['an empty list', '{"records":[]}', 'The body has no records.'],
  [
    '1,001 records',
    `{"records":[${'{},'.repeat(1000)}{}]}`,
    'The body may have at most 1000 records, got more.',
  ],
  ['half a list', '{"records":[', 'The body is not valid JSON: Unexpected EOF.'],
  [
    'too many quotes',
    `{"records":[${'"",'.repeat(40_000)}""]}`,
    'The body may have at most 100000 quotes, commas, colons and opening brackets.',
  ],
])('a body with %s is refused in a sentence', async (_, text, detail) => {
  await using server = await openPeople()
  const { status, body } = await server.operator.post('/api/v3/records', text)
  const pointer = text.includes('dry_run') ? '#/dry_run' : '#'
  expect([status, body.errors]).toEqual([400, [{ pointer, detail }]])
})

test('a body with a million blank lines or half a million short ones is refused', async () => {
  await using server = await openPeople()
  const send = async (text: string) => (await server.operator.writeLines(text)).body.errors
  expect(await send('\n'.repeat(1024 * 1024))).toEqual([{ pointer: '#', detail: 'The body has no records.' }])
  expect(await send(' \t\r\n'.repeat(1024 * 256))).toEqual([
    { pointer: '#', detail: 'The body has no records.' },
  ])
  expect(await send('1\n'.repeat(1024 * 512))).toEqual([
    { pointer: '#', detail: 'The body may have at most 1000 records, got more.' },
  ])
})

test('a body of another type, or one that is too large, is refused', async () => {
  await using server = await openPeople()
  const { operator } = server
  const csv = await operator.post('/api/v3/records', 'a,b', 'text/csv')
  expect([csv.status, csv.body.detail]).toEqual([
    415,
    'Content-Type must be application/x-ndjson or application/json, got "text/csv".',
  ])
  expect((await operator.writeLines('x'.repeat(1024 * 1024 + 1))).status).toBe(413)
  const flag = await operator.write(BATCH, '?dry_run=yes')
  expect([flag.status, flag.body.errors[0].detail]).toEqual([
    400,
    'dry_run must be true or false, got "yes".',
  ])
})
