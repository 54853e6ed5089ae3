import { expect, test } from 'bun:test'
import { CREDENTIAL, parsePassport } from '../../support/mirror/parse-record.ts'

const split = (credential: object, rescore = false) => {
  const { credentials, credentialPoints } = parsePassport(
    { credentials: [{ ...CREDENTIAL, ...credential }] },
    { rescore },
  )
  return { credentials, credentialPoints }
}

test('a credential without any field is accepted and gets a reproducible id', () => {
  const parsed = () => parsePassport({ credentials: [{}, { type: null }] }).credentials
  const nothing = { type: '', name: '', category: '', score: 0, maxScore: 0 }
  expect(parsed()).toMatchObject([nothing, nothing])
  expect(parsed()).toEqual(parsed() ?? [])
  expect(new Set(parsed()?.map(({ id }) => id)).size).toBe(2)
})

test('a credential keeps its score, capped at its maximum', () => {
  expect(split({ score: 30, max_score: 20 }).credentials).toMatchObject([
    { score: 20, maxScore: 20, givenScore: 30 },
  ])
  expect(split({ score: 30, max_score: null }).credentials).toMatchObject([{ score: 30, maxScore: 30 }])
  expect(split({ score: 1.234, max_score: 5 }).credentials).toMatchObject([{ score: 1.23 }])
})

test('a credential without a score is scored by the rule of its type', () => {
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

test('a credential without a score gets the score 0 if its type has no rule or its value cannot be parsed', () => {
  expect(split({ type: 'kite', score: null }).credentials).toMatchObject([
    { type: 'kite', score: 0, lacksScore: true },
  ])
  expect(split({ type: 'gitcoin', score: null, value: '' }).credentials).toMatchObject([{ score: 0 }])
  expect(split({ type: 'constructor', score: null }).credentials).toMatchObject([{ type: 'constructor' }])
})

test('a credential whose score a rule has calculated is never turned into a data point', () => {
  const derived = { type: 'gitcoin', value: '23', derived: true }
  expect(split(derived, true)).toEqual({
    credentials: [expect.not.objectContaining({ givenScore: expect.anything() })],
    credentialPoints: undefined,
  })
})

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
])('an import with rescore parses the value of %s from "%s"', (type, value, raw) => {
  expect(split({ type, value }, true).credentialPoints).toMatchObject([{ type, value: raw }])
})

test.each([
  ['worldcoin', { value: 'Not verified' }],
  ['worldcoin', { value: '@ada' }],
  ['worldcoin', { value: '' }],
  ['ens', { value: 'ada.eth', earned_at: null }],
])('an import with rescore keeps the credential %s if its value cannot be parsed: %j', (type, given) => {
  expect(split({ type, ...given }, true).credentials).toHaveLength(1)
})
