import { describe, expect, test } from 'bun:test'
import { findImage } from '../../../src/features/v2/present.ts'
import { presentV1 } from '../../support/mirror/present-v1.ts'
import { ada, NOON } from '../../support/store/records.ts'

const SOCIALS = presentV1({ ...ada, stale: false, calculatedAt: NOON, merged: false }).passport_socials

describe('the image of a passport', () => {
  const socials = (...urls: string[]) =>
    urls.flatMap((profile_image_url) => SOCIALS.map((social) => ({ ...social, profile_image_url })))
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
