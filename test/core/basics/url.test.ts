import { expect, test } from 'bun:test'
import { parseOrigin, parseWebAddress } from '../../../src/core/basics/url.ts'

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

test('an origin is accepted only if it consists of http or https, a valid host and an optional port', () => {
  for (const text of [
    '',
    'example.com',
    'ftp://example.com',
    'javascript:alert(1)',
    'https://',
    'https://a/path',
    'https://a?query',
    'https://user@a',
    'https://a"onload="alert(1)',
    "https://a'b",
    'https://a<b>',
    'https://a b',
    'https://a:99999',
    'https://[::1',
    'https://a\n',
    `https://${'a'.repeat(300)}`,
  ])
    expect([text, parseOrigin(text)]).toEqual([text, undefined])
  for (const text of [
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
    'https://my_host',
    'https://xn--e1afmkfd.example',
  ])
    expect(parseOrigin(text)?.origin).toBe(text)
})
