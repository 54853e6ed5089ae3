import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { foldName } from '../../../src/core/basics/text/fold-name.ts'
import { unicodeCharacter } from '../../support/unicode-character.ts'

describe('foldName', () => {
  test.each([
    ['Ada LOVELACE', 'ada lovelace'],
    ['  Zoë \t\n van   der Ångström ', 'zoe van der angstrom'],
    ['Łukasz Øre Straße Đặng İstanbul ÆON', 'lukasz ore strasse dang istanbul aeon'],
    ['ΣΊΣΥΦΟΣ', 'σισυφοσ'],
    ['Ёлка Мятный', 'елка мятныи'],
    ['Ｆｕｌｌ ﬁne 𝓢𝓬𝓻𝓲𝓹𝓽', 'full fine script'],
    ['שָׁלוֹם', 'שלום'],
    ['مُحَمَّد', 'محمد'],
    ['I ❤️ 🐉', 'i ❤ 🐉'],
  ])('%s folds to %s', (text, folded) => {
    expect(foldName(text)).toBe(folded)
  })

  test('foldName keeps marks that form a different letter', () => {
    expect(foldName('が')).not.toBe(foldName('か'))
    expect(foldName('की')).not.toBe(foldName('का'))
    expect(foldName('한국')).toBe('한국')
  })

  test('folding a folded name changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: unicodeCharacter }), (text) => {
        expect(foldName(foldName(text))).toBe(foldName(text))
      }),
      { numRuns: 300 },
    )
  })
})
