import { describe, expect, test } from 'bun:test'
import { parseSocialCount } from '../../../src/core/basics/text/social-count.ts'

describe('a count of a social profile', () => {
  test.each([
    ['1204', 1204],
    [' 0 ', 0],
    ['1,204', 1204],
    ['12,345,678', 12_345_678],
    ['1.2k', 1200],
    ['3M', 3_000_000],
    ['1,204k', 1_204_000],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('the count %p is parsed as %p', (text, count) => expect(parseSocialCount(text)).toBe(count))

  test.each(['', 'many', '-5', '1.204', '12,34', '1 204', '1e3', '٣', '5kk', '500+', '9007199254740993'])(
    'the count %p is refused, because it is ambiguous or not a number',
    (text) => expect(parseSocialCount(text)).toBeNull(),
  )
})
