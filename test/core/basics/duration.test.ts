import { expect, test } from 'bun:test'
import { formatDuration, parseDuration } from '../../../src/core/basics/text/duration.ts'

test.each([
  ['2h', 7_200_000, '2 h'],
  ['90m', 5_400_000, '1 h 30 min'],
  ['1d12h', 129_600_000, '1 d 12 h'],
  ['45s', 45_000, '45 s'],
  ['0m', 0, '0 s'],
])('%s is a duration', (text, milliseconds, words) => {
  expect(parseDuration(text)).toBe(milliseconds)
  expect(formatDuration(milliseconds)).toBe(words)
})

test.each(['', '2', 'h', '2 h', '-2h', '1.5h', '2h1d', '999999h', '2w'])('%p is not a duration', (text) => {
  expect(parseDuration(text)).toBeUndefined()
})
