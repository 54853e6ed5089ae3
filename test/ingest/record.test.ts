import { describe, expect, test } from 'bun:test'
import { rawKindOf } from '../../src/cli/commands/import.ts'
import type { DataPoint } from '../../src/domain/data-point.ts'
import type { PassportRecord } from '../../src/domain/record.ts'
import { presentRecord } from '../../src/ingest/export.ts'
import { parseRecord } from '../../src/ingest/record.ts'
import { PassportLine } from '../../src/ingest/record-format.ts'
import { DEFAULT_RULES } from '../../src/scoring/rules.ts'
import { ada, NOON } from '../support/store/records.ts'

const options = { now: NOON, rescore: false, rawKindOf: (type: string) => rawKindOf(DEFAULT_RULES, type) }

const parse = (line: object, given: Partial<typeof options> = {}) =>
  parseRecord(line, { ...options, ...given })

function parsePassport(line: object, given: Partial<typeof options> = {}): PassportRecord {
  const { record } = parse({ passport_id: 7, ...line }, given)
  if (record.kind !== 'passport') throw new Error(`a ${record.kind}`)
  return record.passport
}

function parsePoint(line: object): DataPoint {
  const { record } = parse({ passport: 7, type: 'github', value: 1, ...line })
  if (record.kind !== 'data-point') throw new Error(`a ${record.kind}`)
  return record.point
}

const nulls = (fields: object) => Object.fromEntries(Object.keys(fields).map((field) => [field, null]))

const CREDENTIAL = {
  id: 'c-1',
  type: 'kite',
  name: 'Kites',
  category: 'Skills',
  score: 4,
  max_score: 10,
  value: '3 kites',
  earned_at: '2020-05-06',
  last_calculated_at: '2024-09-27T09:18:56Z',
}

describe('a passport', () => {
  test('that was exported is parsed to the same record', () => {
    const dataPoints: DataPoint[] = [
      {
        type: 'github',
        account: 'ada',
        value: { kind: 'number', amount: 3 },
        display: '3',
        earnedAt: NOON,
      },
    ]
    const whole = { ...ada, givenHuman: false, mergedInto: 9, rules: '2026-11+abc', dataPoints }
    expect(parsePassport(presentRecord(whole))).toEqual(whole)
  })

  test('has distinct, folded wallets', () => {
    expect(
      parsePassport({ main_wallet: ' 0xADA1 ', verified_wallets: ['0xADA1', '0xada1', 'So1ana'] }),
    ).toMatchObject({ mainWallet: '0xada1', verifiedWallets: ['0xada1', 'So1ana'] })
  })

  test('with only an id, or null in every other field, is a record with defaults', () => {
    const nothing: PassportRecord = {
      id: 7,
      human: false,
      connections: 0,
      mainWallet: '',
      verifiedWallets: [],
      profile: { bio: '', displayName: '', location: '', tags: [] },
      socials: [],
    }
    const { passport_id: _, ...fields } = PassportLine.properties
    expect(parsePassport({})).toEqual(nothing)
    expect(parsePassport(nulls(fields))).toEqual(nothing)
  })

  test('accepts null in nested fields', () => {
    const profile = { bio: null, display_name: null, location: null, tags: [null, 'math', ''] }
    expect(
      parsePassport({
        passport_profile: profile,
        verified_wallets: [null, '0x1'],
        passport_socials: [{ source: 'lens', profile_name: null }],
      }),
    ).toMatchObject({
      profile: { bio: '', displayName: '', location: '', tags: ['math'] },
      verifiedWallets: ['0x1'],
      socials: [{ source: 'lens', name: '', followers: '' }],
    })
    const { id: _, ...unknown } = CREDENTIAL
    expect(parsePassport({ credentials: [{ ...nulls(unknown), type: 'kite' }] }).credentials).toEqual([
      {
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        type: 'kite',
        name: 'kite',
        category: '',
        score: 0,
        givenScore: 0,
        maxScore: 0,
        value: '',
        calculatedAt: NOON,
      },
    ])
  })

  test('accepts numbers in text fields', () => {
    expect(
      parsePassport({
        main_wallet: 12,
        passport_profile: { bio: 1, display_name: 2, location: 3, tags: [4] },
        passport_socials: [{ follower_count: 1200, following_count: 0, profile_name: 5 }],
        credentials: [{ ...CREDENTIAL, id: 6, value: 7 }],
      }),
    ).toMatchObject({
      mainWallet: '12',
      profile: { bio: '1', displayName: '2', location: '3', tags: ['4'] },
      socials: [{ followers: '1200', following: '0', name: '5' }],
      credentials: [{ id: '6', value: '7' }],
    })
  })

  test('without an overall score gets the sum of the other scores', () => {
    expect(parsePassport({ activity_score: 1.236, skills_score: 2 }).scores).toEqual({
      total: 3.24,
      activity: 1.24,
      identity: 0,
      skills: 2,
    })
  })

  test('with an empty list of credentials has no credentials', () => {
    expect(parsePassport({ credentials: [] }).credentials).toEqual([])
  })

  test('has no unpaired surrogate in any text', () => {
    expect(
      parsePassport({
        passport_profile: { bio: 'a\ud83d' },
        credentials: [{ ...CREDENTIAL, type: 'b\udc00' }],
      }),
    ).toMatchObject({ profile: { bio: 'a\ufffd' }, credentials: [{ type: 'b\ufffd' }] })
    expect(parsePoint({ type: 'c\ud83d' }).type).toBe('c\ufffd')
  })

  test('with removed: true is a removal, whatever other fields it has', () => {
    expect(parse({ passport_id: 7, removed: true, score: 5 }).record).toEqual({ kind: 'removal', id: 7 })
    expect(parse({ passport_id: 7, removed: false }).record.kind).toBe('passport')
  })
})

test('unknown fields are counted at every level and ignored', () => {
  const { record, unknownFields } = parse({
    passport_id: 7,
    surprise: 1,
    ['__proto__']: { human_checkmark: true },
    passport_profile: { name: 'x', shoe_size: 43 },
    passport_socials: [{ source: 'lens', verified: true }],
    credentials: [{ ...CREDENTIAL, onchain_at: null }],
    data_points: [{ type: 'github', value: 1, colour: 'red' }],
  })
  expect(unknownFields).toBe(7)
  expect(record).toMatchObject({ passport: { human: false } })
  expect(parse({ passport: 7, type: 'github', value: 1, colour: 'red' }).unknownFields).toBe(1)
})

describe('a data point', () => {
  test.each([
    [3, { kind: 'number', amount: 3 }],
    [-2.5, { kind: 'number', amount: -2.5 }],
    [true, { kind: 'flag', amount: 1 }],
    [false, { kind: 'flag', amount: 0 }],
    ['2015-03-02', { kind: 'date', amount: Date.UTC(2015, 2, 2) }],
    ['2015-03-02T10:00:00+02:00', { kind: 'date', amount: Date.UTC(2015, 2, 2, 8) }],
  ] as const)('of the value %p is read as such', (value, raw) => {
    expect(parsePoint({ value }).value).toEqual(raw)
  })

  test.each([
    [7, { id: 7 }],
    ['7', { id: 7 }],
    [' 007 ', { id: 7 }],
    ['0xABC', { wallet: '0xabc' }],
    ['So1ana', { wallet: 'So1ana' }],
  ])('names the passport by %p', (passport, ref) => {
    expect(parse({ passport, type: 'github', value: 1 }).record).toMatchObject({
      kind: 'data-point',
      passport: ref,
    })
  })

  test('has an optional account, display text and date', () => {
    const plain = { type: 'github', value: { kind: 'number' as const, amount: 1 } }
    expect(parsePoint({ account: 5, display: 'five', earned_at: '2020-01-01' })).toEqual({
      ...plain,
      account: '5',
      display: 'five',
      earnedAt: Date.UTC(2020, 0, 1),
    })
    const unknown = { account: null, display: null, earned_at: null }
    expect(parsePoint(unknown)).toEqual({ ...plain, account: '', display: '' })
  })
})

const split = (credential: object, rescore = false) => {
  const { credentials, credentialPoints } = parsePassport(
    { credentials: [{ ...CREDENTIAL, ...credential }] },
    { rescore },
  )
  return { credentials, credentialPoints }
}

describe('a credential', () => {
  test('without any field is kept and gets a reproducible id', () => {
    const parsed = () => parsePassport({ credentials: [{}, { type: null }] }).credentials
    const nothing = { type: '', name: '', category: '', score: 0, maxScore: 0 }
    expect(parsed()).toMatchObject([nothing, nothing])
    expect(parsed()).toEqual(parsed() ?? [])
    expect(new Set(parsed()?.map(({ id }) => id)).size).toBe(2)
  })

  test('keeps its score, capped at its maximum', () => {
    expect(split({ score: 30, max_score: 20 }).credentials).toMatchObject([
      { score: 20, maxScore: 20, givenScore: 30 },
    ])
    expect(split({ score: 30, max_score: null }).credentials).toMatchObject([{ score: 30, maxScore: 30 }])
    expect(split({ score: 1.234, max_score: 5 }).credentials).toMatchObject([{ score: 1.23 }])
  })

  test('without a score is scored by the rule of its type', () => {
    const { credentials, credentialPoints, dataPoints } = parsePassport({
      data_points: [{ type: 'github', value: 1 }],
      credentials: [{ ...CREDENTIAL, type: 'gitcoin', value: 'Humanity Score: 23', score: null }],
    })
    expect(credentials).toEqual([])
    expect(dataPoints).toMatchObject([{ type: 'github' }])
    expect(credentialPoints).toEqual([
      {
        type: 'gitcoin',
        account: 'credential:c-1',
        value: { kind: 'number', amount: 23 },
        display: 'Humanity Score: 23',
        earnedAt: Date.UTC(2020, 4, 6),
      },
    ])
  })

  test('without a score gets 0 if its type has no rule or its value cannot be parsed', () => {
    expect(split({ type: 'kite', score: null }).credentials).toMatchObject([{ type: 'kite', score: 0 }])
    expect(split({ type: 'gitcoin', score: null, value: '' }).credentials).toMatchObject([{ score: 0 }])
    expect(split({ type: 'constructor', score: null }).credentials).toMatchObject([{ type: 'constructor' }])
  })

  test('that a rule calculated is never turned into a data point', () => {
    const derived = { type: 'gitcoin', value: '23', derived: true }
    expect(split(derived, true)).toEqual({
      credentials: [expect.not.objectContaining({ givenScore: expect.anything() })],
      credentialPoints: undefined,
    })
  })

  test('keeps its score unless the import rescores', () => {
    const gitcoin = { type: 'gitcoin', value: '23' }
    expect(split(gitcoin).credentials).toHaveLength(1)
    expect(split(gitcoin, true)).toMatchObject({ credentials: [], credentialPoints: [{ type: 'gitcoin' }] })
    expect(split({ type: 'kite' }, true).credentials).toHaveLength(1)
  })
})

describe('an import with rescore', () => {
  const number = (amount: number) => ({ kind: 'number', amount })
  const date = (day: string) => ({ kind: 'date', amount: Date.parse(day) })
  const flag = { kind: 'flag', amount: 1 }

  test.each([
    ['gitcoin', '3 contracts', number(3)],
    ['gitcoin', '1 contract', number(1)],
    ['active_wallet', 'Since 2015-03-02, Total Contributions: 1734', number(1734)],
    ['active_wallet', '1,734 transactions', number(1734)],
    ['gitcoin', 'Humanity Score: 23', number(23)],
    ['gitcoin', '23.5', number(23.5)],
    ['gitcoin', '-4', number(-4)],
    ['worldcoin', 'Verified', flag],
    ['worldcoin', ' yes ', flag],
    ['farcaster', 'Since 2015-03-02, FID: 12345', date('2015-03-02')],
    ['farcaster', 'FID: 12345', date('2020-05-06')],
    ['ens', 'ada.eth', date('2020-05-06')],
    ['ens', 'Since 2020-02-31', date('2020-05-06')],
  ])('parses %s from "%s"', (type, value, raw) => {
    expect(split({ type, value }, true).credentialPoints).toMatchObject([{ type, value: raw }])
  })

  test.each([
    ['worldcoin', { value: 'Not verified' }],
    ['worldcoin', { value: '@ada' }],
    ['worldcoin', { value: '' }],
    ['ens', { value: 'ada.eth', earned_at: null }],
  ])('keeps the credential %s with %j, which has no amount', (type, given) => {
    expect(split({ type, ...given }, true).credentials).toHaveLength(1)
  })
})
