import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  formatCursor,
  formatSort,
  type ListQuery,
  parseCursor,
  parsePageNumber,
  parseSort,
} from '../../../src/core/lists/list-request.ts'

const query: ListQuery = { keyword: 'zoë', filter: [], sort: parseSort() }

test('a cursor is parsed to the position that it was made from, for any score and id', () => {
  // -0 is written as 0.
  const number = fc
    .oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true }))
    .map((each) => each || 0)
  const position = fc.record(
    { value: number, id: fc.maxSafeNat(), score: number },
    { requiredKeys: ['value', 'id'] },
  )
  fc.assert(
    fc.property(position, (each) => {
      const cursor = formatCursor(query, each)
      expect(cursor).toMatch(/^[\w-]+$/)
      expect(parseCursor(query, cursor)).toEqual(each)
    }),
  )
})

test('a sort by points names a type, which is folded', () => {
  expect(parseSort('-points:GitHub')).toEqual({ field: 'score', descending: true, pointsFor: 'github' })
  for (const text of ['-score', 'passport_id', 'points:kite club', '-points:a:b'])
    expect(formatSort(parseSort(text))).toBe(text)
  for (const text of ['points', 'points:', '-points: '])
    expect(() => parseSort(text)).toThrow('sort must be one of')
})

test('a cursor that no list has returned is rejected', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
      expect(() => parseCursor(query, text)).toThrow('cursor must be the value of "next"')
    }),
  )
})

test('a page number above the largest safe integer is rejected', () => {
  expect(() => parsePageNumber('9007199254740992')).toThrow('page must be at most 9007199254740991, got')
  expect(() => parsePageNumber('x'.repeat(5000))).toThrow(`got "${'x'.repeat(40)}…".`)
})
