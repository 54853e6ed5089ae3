import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { foldName } from '../../../src/domain/name.ts'
import { foldInto } from '../../../src/store/name-index/fold-bytes.ts'
import { HOSTILE_NAMES } from '../../support/hostile-names.ts'

const expected = (name: string) => Buffer.from(foldName(name).replaceAll('\0', '\ufffd')).toString()

function folded(name: string): string {
  const bytes = Buffer.alloc(100_000, 'x')
  return bytes.toString('utf8', 7, foldInto(bytes, 7, name))
}

test('every letter folds as in any name, between any others', () => {
  for (let code = 0; code < 0x1_0000; code++) {
    for (const name of [`a${String.fromCharCode(code)}b`, `${String.fromCharCode(code)} `]) {
      if (folded(name) !== expected(name)) expect(folded(name)).toBe(expected(name))
    }
  }
})

test('names fold as everywhere else', () => {
  const letters = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2 }),
    fc.integer({ min: 0, max: 0x24f }).map((code) => String.fromCharCode(code)),
    fc.constantFrom(' ', '  ', '\t', '\u0301', 'e', 'Σ', '\u3099'),
  )
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 12 }), (parts) => {
      expect(folded(parts.join(''))).toBe(expected(parts.join('')))
    }),
    { numRuns: 3000 },
  )
  for (const name of HOSTILE_NAMES) expect(folded(name)).toBe(expected(name))
})

test('a name for which there is no room is not written', () => {
  expect(foldInto(Buffer.alloc(4), 0, 'Lovelace')).toBeUndefined()
  expect(foldInto(Buffer.alloc(4), 0, '雲橋')).toBeUndefined()
  expect(foldInto(Buffer.alloc(4), 0, 'Adaß')).toBeUndefined()
  expect(foldInto(Buffer.alloc(4), 1, 'Ada')).toBe(4)
})
