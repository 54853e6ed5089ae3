import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  formatCursor,
  type ListQuery,
  parseCursor,
  parsePageNumber,
  parseSort,
} from '../../../src/core/lists/list-request.ts'

const query: ListQuery = { keyword: 'zoë', filter: [], sort: parseSort() }

test('a cursor is parsed to the position that it was made from, for any score and id', () => {
  const score = fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  fc.assert(
    fc.property(score, fc.maxSafeNat(), (value, id) => {
      const cursor = formatCursor(query, { value, id })
      expect(cursor).toMatch(/^[\w-]+$/)
      // -0 is written as 0.
      expect(parseCursor(query, cursor)).toEqual({ value: value === 0 ? 0 : value, id })
    }),
  )
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
