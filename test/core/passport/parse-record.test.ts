import { expect, test } from 'bun:test'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import { PassportLine } from '../../../src/core/passport/record-format.ts'
import { presentRecord } from '../../../src/features/records/export.ts'
import { CREDENTIAL, nulls, parse, parsePassport, parsePoint } from '../../support/mirror/parse-record.ts'
import { ada, NOON } from '../../support/store/records.ts'

test('a passport has distinct, folded wallets', () => {
  const given = { main_wallet: ' 0xADA1 ', verified_wallets: ['0xADA1', '0xada1', 'So1ana'] }
  const folded = { mainWallet: '0xada1', verifiedWallets: ['0xada1', 'So1ana'] }
  expect(parsePassport(given)).toMatchObject(folded)
})

test('a passport with only an id, or null in every other field, has defaults', () => {
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

test('a passport without an overall score gets the sum of the other scores', () => {
  expect(parsePassport({ activity_score: 1.236, skills_score: 2 }).scores).toEqual({
    total: 3.24,
    activity: 1.24,
    identity: 0,
    skills: 2,
  })
})

test('unpaired surrogates are replaced in all texts of a record', () => {
  const credentials = [{ ...CREDENTIAL, type: 'b\udc00' }]
  expect(parsePassport({ passport_profile: { bio: 'a\ud83d' }, credentials })).toMatchObject({
    profile: { bio: 'a\ufffd' },
    credentials: [{ type: 'b\ufffd' }],
  })
  expect(parsePoint({ type: 'c\ud83d' }).type).toBe('c\ufffd')
})

test('a line with removed: true is a removal, whatever other fields it has', () => {
  expect(parse({ passport_id: 7, removed: true, score: 5 }).record).toEqual({ kind: 'removal', id: 7 })
  expect(parse({ passport_id: 7, removed: false }).record.kind).toBe('passport')
})

test('unknown fields are ignored, and are counted at every level of a record', () => {
  const { record, unknownFields } = parse({
    passport_id: 7,
    surprise: 1,
    ['__proto__']: { human_checkmark: true },
    passport_profile: { nickname: 'x', shoe_size: 43 },
    passport_socials: [{ source: 'lens', verified: true }],
    credentials: [{ ...CREDENTIAL, onchain_at: null }],
    data_points: [{ type: 'github', value: 1, colour: 'red' }],
  })
  expect(unknownFields).toBe(7)
  expect(record).toMatchObject({ passport: { human: false } })
  expect(parse({ passport: 7, type: 'github', value: 1, colour: 'red' }).unknownFields).toBe(1)
})

test.each([
  [3, { kind: 'number', amount: 3 }],
  [-2.5, { kind: 'number', amount: -2.5 }],
  [true, { kind: 'flag', amount: 1 }],
  [false, { kind: 'flag', amount: 0 }],
  ['2015-03-02', { kind: 'date', amount: Date.UTC(2015, 2, 2) }],
  ['2015-03-02T10:00:00+02:00', { kind: 'date', amount: Date.UTC(2015, 2, 2, 8) }],
] as const)('the value %p of a data point is parsed as a number, flag or date', (value, raw) => {
  expect(parsePoint({ value }).value).toEqual(raw)
})

test.each([
  [7, { id: 7 }],
  ['7', { id: 7 }],
  [' 007 ', { id: 7 }],
  ['0xABC', { wallet: '0xabc' }],
  ['So1ana', { wallet: 'So1ana' }],
])('a data point names its passport by %p', (passport, ref) => {
  expect(parse({ passport, type: 'github', value: 1 }).record).toMatchObject({
    kind: 'data-point',
    passport: ref,
  })
})

test('a data point has an optional account, display text and date', () => {
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

const later = {
  imageUrl: 'https://example.com/ada.png',
  mainWalletChangedAt: Date.UTC(2024, 4, 6),
  nominations: 3,
}

test('an exported record is parsed to the same record, including the fields that only V2 shows', () => {
  const value = { kind: 'number' as const, amount: 3 }
  const dataPoints = [{ type: 'github', account: 'ada', value, display: '3', earnedAt: NOON }]
  const whole = { ...ada, ...later, givenHuman: false, mergedInto: 9, rules: '2026-11+abc', dataPoints }
  for (const record of [whole, { ...ada, nominations: 0 }, ada]) {
    expect(parsePassport(presentRecord(record))).toEqual(record)
  }
  expect(presentRecord(ada)).not.toContainAnyKeys([
    'image_url',
    'main_wallet_changed_at',
    'nominations_received_count',
  ])
})

test('image_url at the top level overrides that of the profile, and name replaces a missing display_name', () => {
  const passport_profile = { image_url: 'https://example.com/2', name: 'Ada L.' }
  expect(parsePassport({ image_url: 'https://example.com/1', passport_profile })).toMatchObject({
    imageUrl: 'https://example.com/1',
    profile: { displayName: 'Ada L.' },
  })
  expect(
    parsePassport({ passport_profile: { ...passport_profile, display_name: 'Ada' } }).profile.displayName,
  ).toBe('Ada')
})

test('a list of half a million wrong entries is refused with one sentence', () => {
  const entries = Array(500_000).fill(1)
  const reason = 'must be a list of at most 2000 entries or null, got […]'
  expect(() => parsePassport({ verified_wallets: entries })).toThrow(`verified_wallets ${reason}`)
  expect(() => parsePassport({ passport_profile: { tags: entries } })).toThrow(
    `passport_profile.tags ${reason}`,
  )
})
