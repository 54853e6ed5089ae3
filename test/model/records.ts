import fc from 'fast-check'
import type { PassportLine, PointLine } from './facts.ts'
import { TYPES } from './rule-sets.ts'

export const IDS = [1, 2, 3, 4] as const
/** Each passport has a wallet of its own; the others belong to the first passport whose record has them. */
export const WALLETS = [...IDS.map((id) => `0xA${id}`), '0xb1', '0xb2']
export const HANDLES = ['lens:ann', 'lens:ben', 'github:ann']

export const someId = fc.constantFrom(...IDS)
const name = fc.constantFrom('Ann', 'Ben', 'Zoë Ann', '')

const credential = fc.record({
  id: fc.constantFrom('a', 'b', 'c'),
  type: fc.constantFrom(...TYPES),
  name: fc.constantFrom('One', 'Two'),
  category: fc.constantFrom('Skills', 'Identity', 'Activity', 'Hobbies'),
  score: fc.constantFrom(0, 3, 4.5, 12, 30),
  max_score: fc.constantFrom(10, 40),
  value: fc.constantFrom('Verified', '12 contracts', ''),
})

const passportLine: fc.Arbitrary<PassportLine> = fc
  .record(
    {
      passport_id: someId,
      score: fc.constantFrom(7, 26.5),
      human_checkmark: fc.boolean(),
      main_wallet: fc.constantFrom('own', '0xb1', '0xB2'),
      verified_wallets: fc.uniqueArray(fc.constantFrom('0xb1', '0xb2'), { maxLength: 1 }),
      passport_profile: fc.record({
        display_name: name,
        location: fc.constantFrom('Rome', 'Lisbon', ''),
        tags: fc.uniqueArray(fc.constantFrom('maps', 'bot'), { maxLength: 2 }),
      }),
      passport_socials: fc.uniqueArray(
        fc.record({
          source: fc.constantFrom('lens', 'github'),
          profile_name: fc.constantFrom('ann', 'ben'),
          follower_count: fc.constantFrom('12', ''),
        }),
        { maxLength: 2, selector: ({ source }) => source },
      ),
      credentials: fc.uniqueArray(credential, { selector: (each) => each.id, maxLength: 3 }),
    },
    { requiredKeys: ['passport_id'] },
  )
  .map(({ main_wallet, ...line }) => ({
    ...line,
    ...(main_wallet && { main_wallet: main_wallet === 'own' ? `0xA${line.passport_id}` : main_wallet }),
  }))

const pointLine: fc.Arbitrary<PointLine> = fc
  .record({
    passport: someId,
    // Few accounts, so that many are written again.
    type: fc.constantFrom('code', ...TYPES),
    account: fc.constantFrom('', '', 'x', '@X'),
    value: fc.constantFrom(1, 4, 25, 90, true, false),
    display: fc.constantFrom('', 'many'),
    isWithdrawn: fc.constantFrom(false, false, true),
  })
  .map(({ isWithdrawn, ...line }) =>
    isWithdrawn ? { passport: line.passport, type: line.type, account: line.account, withdrawn: true } : line,
  )

const line = fc.oneof(passportLine, { weight: 2, arbitrary: pointLine })
/** The records of a request or a file. */
export const someLines = fc.array(line, { minLength: 1, maxLength: 3 })
export const somePoints = fc.array(pointLine, { minLength: 1, maxLength: 2 })
