import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  DEFAULT_LIMIT,
  formatCursor,
  LARGEST_LIMIT,
  type ListQuery,
  lastPage,
  parseCursor,
  parseGroupBy,
  parseLimit,
  parsePageRequest,
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

test.each([
  [null, null, { page: 1, size: 25 }],
  ['', '', { page: 1, size: 25 }],
  ['3', '10', { page: 3, size: 10 }],
  ['03', '250', { page: 3, size: 250 }],
  ['1', '251', { page: 1, size: 250 }],
  ['9007199254740991', '99999999999999999999', { page: 9007199254740991, size: 250 }],
])('page %p with per_page %p is accepted', (page, size, expected) => {
  expect(parsePageRequest(page, size)).toEqual(expected)
})

test.each(['0', '-1', '1.5', '1e3', '+1', ' 1', 'x', '９'])('%p is not a page number', (text) => {
  expect(() => parsePageRequest(text, null)).toThrow(
    `page must be a whole number from 1, got ${JSON.stringify(text)}.`,
  )
  expect(() => parsePageRequest(null, text)).toThrow('per_page must be a whole number from 1')
})

test('a page number above the safe integers is rejected', () => {
  expect(() => parsePageRequest('9007199254740992', null)).toThrow(
    'page must be at most 9007199254740991, got',
  )
  expect(() => parsePageRequest('x'.repeat(5000), null)).toThrow(`got "${'x'.repeat(40)}…".`)
})

test('an empty list has one page', () => {
  expect([0, 1, 25, 26].map((total) => lastPage(total, 25))).toEqual([1, 1, 1, 2])
})
