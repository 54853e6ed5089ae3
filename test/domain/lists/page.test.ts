import { expect, test } from 'bun:test'
import { lastPage, parsePageRequest } from '../../../src/domain/lists/page.ts'

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
