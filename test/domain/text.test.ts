import { expect, test } from 'bun:test'
import { formatDuration, parseDuration } from '../../src/domain/text/duration.ts'
import { formatInstant } from '../../src/domain/text/instant.ts'
import { parseWebAddress } from '../../src/domain/url.ts'

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

test('formatInstant omits seconds that are zero', () => {
  expect(formatInstant(Date.UTC(2026, 11, 1, 9))).toBe('2026-12-01 09:00 UTC')
  expect(formatInstant(Date.UTC(2026, 11, 1, 9, 0, 7))).toBe('2026-12-01 09:00:07 UTC')
})

test.each([
  ['https://example.com/v2', 'https://example.com/v2'],
  ['HTTP://Example.com', 'http://example.com/'],
  ['https://example.com/a?b=c,d;e#f', 'https://example.com/a?b=c,d;e#f'],
  ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
])('%s is an accepted URL', (text, address) => {
  expect(parseWebAddress(text)).toBe(address)
  expect(parseWebAddress(address)).toBe(address)
})

test.each([
  '',
  '/v2',
  'ftp://example.com/',
  'javascript:alert(1)',
  'https://',
  'https://a b/',
  'https://a/\r\nSet-Cookie: x=y',
  "https://a/'",
  'https://user:secret@example.com/',
  `https://a/${'x'.repeat(1000)}`,
])('%p is not an accepted URL', (text) => {
  expect(parseWebAddress(text)).toBeUndefined()
})

test('an accepted URL contains no quotes, spaces or other characters that could end it in HTML or a header', () => {
  for (const letter of '<>"`\\^{|}\' \t\r\n\0\u202e\u2028') {
    for (const place of ['/x', '/?x', '/#x', 'xb/']) {
      const address = parseWebAddress(`https://a${place.replace('x', letter)}`)
      expect(address ?? '').toMatch(/^[!#-&(-;=?-Z[\]_a-z~]*$/)
    }
  }
})
