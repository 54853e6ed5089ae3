import { describe, expect, test } from 'bun:test'
import { parseSocialCount } from '../../../src/core/basics/text/social-count.ts'
import { presentSocial } from '../../../src/core/passport/present.ts'
import { findImage } from '../../../src/features/v2/present.ts'
import { ada } from '../../support/store/records.ts'

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

describe('the image of a passport', () => {
  const socials = (...urls: string[]) =>
    urls.flatMap((imageUrl) => ada.socials.map((each) => presentSocial({ ...each, imageUrl })))
  const shown = (imageUrl: string | undefined, ...urls: string[]) =>
    findImage(imageUrl, () => socials(...urls))

  test('the image is that of the record, or else the first valid image of the socials', () => {
    expect(shown('https://a.example/1.png', 'https://b.example/2.png')).toBe('https://a.example/1.png')
    expect(shown(undefined, '', 'HTTP://b.example/2.png', 'https://c.example')).toBe('HTTP://b.example/2.png')
    expect(shown('/relative.png', 'https://b.example/2.png')).toBe('https://b.example/2.png')
    expect(shown(undefined)).toBeUndefined()
  })

  test.each([
    '',
    '/a.png',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    'https://a b',
    ' https://example.com',
    'https://example.com/\n',
    `https://example.com/${'x'.repeat(2000)}`,
  ])('the image %p is never shown', (url) => expect(shown(url, url)).toBeUndefined())
})
