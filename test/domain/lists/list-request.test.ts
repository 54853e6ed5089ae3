import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  DEFAULT_LIMIT,
  formatCursor,
  LARGEST_LIMIT,
  type ListQuery,
  parseCursor,
  parseGroupBy,
  parseLimit,
  parseSort,
} from '../../../src/domain/lists/list-request.ts'

const query: ListQuery = { keyword: 'zoë', filter: [], sort: parseSort() }

test('a cursor contains its position, for any score and id', () => {
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

test('any other text is no cursor', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
      expect(() => parseCursor(query, text)).toThrow('cursor must be the value of "next"')
    }),
  )
})

test('a list has 25 passports with the highest scores, unless the parameters say otherwise', () => {
  expect([undefined, '1', '250'].map((text) => parseLimit(text, DEFAULT_LIMIT, LARGEST_LIMIT))).toEqual([
    25, 1, 250,
  ])
  expect(parseSort()).toEqual({ field: 'score', descending: true })
  expect(parseSort('passport_id')).toEqual({ field: 'passport_id', descending: false })
  expect([parseGroupBy(undefined), parseGroupBy('tag')]).toEqual([undefined, 'tag'])
})
