import { describe, expect, test } from 'bun:test'
import type { FullPassport, Social } from '../../../src/domain/passport.ts'
import { shortNameOf } from '../../../src/explorer/design/text.ts'
import {
  renderProfileMeta,
  renderShareMeta,
  sharePassport,
} from '../../../src/explorer/site/layout-and-link-previews.ts'
import { createSite } from '../../../src/explorer/site/site.ts'
import { HOSTILE_NAMES } from '../../support/explorer/hostile-names.ts'
import { ada, NOON } from '../../support/store/records.ts'

const ORIGIN = 'https://passports.example.com'
const BEST = 'Top 4% in Skills'
const ADA: FullPassport = { ...ada, stale: false, calculatedAt: NOON, merged: false }

const render = (given: Partial<FullPassport> = {}, origin = ORIGIN, best = BEST) => {
  const passport = { ...ADA, ...given }
  const site = { ...createSite().site, origin }
  return (
    renderShareMeta(site, sharePassport(passport, best, 'Established')).markup +
    renderProfileMeta(passport, origin).markup
  )
}

const call = (displayName: string) => ({ profile: { ...ADA.profile, displayName } })
const contentOf = (markup: string, name: string) =>
  new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(markup)?.[1]
const dataOf = (markup: string) =>
  JSON.parse(/<script type="application\/ld\+json">(.*)<\/script>/.exec(markup)?.[1] ?? '')

describe('social metadata of a passport', () => {
  test('has the URL of the page, the URL of the card and a description of the score', () => {
    const markup = render()
    expect(markup).toContain(`<link rel="canonical" href="${ORIGIN}/passports/7">`)
    expect(contentOf(markup, 'og:type')).toBe('profile')
    expect(contentOf(markup, 'og:title')).toBe('Ada Lovélace 🐉: passport score 42.5, Established')
    expect(contentOf(markup, 'og:url')).toBe(`${ORIGIN}/passports/7`)
    expect(contentOf(markup, 'og:image')).toBe(`${ORIGIN}/card/7.png`)
    expect(contentOf(markup, 'og:image:type')).toBe('image/png')
    expect(contentOf(markup, 'og:image:width')).toBe('1200')
    expect(contentOf(markup, 'og:image:height')).toBe('630')
    expect(contentOf(markup, 'og:image:alt')).toBe('Ada Lovélace 🐉: passport score 42.5')
    expect(contentOf(markup, 'twitter:card')).toBe('summary_large_image')
    const words =
      'First of &quot;them&quot; &lt;all&gt; Top 4% in Skills. Activity 12, identity 10.25, skills 20.25. Marked as human.'
    expect(contentOf(markup, 'og:description')).toBe(words)
  })

  test('has structured data about the person', () => {
    expect(dataOf(render())).toEqual({
      '@context': 'https://schema.org',
      '@type': 'ProfilePage',
      url: `${ORIGIN}/passports/7`,
      mainEntity: {
        '@type': 'Person',
        name: 'Ada Lovélace 🐉',
        identifier: '7',
        url: `${ORIGIN}/passports/7`,
        sameAs: ['https://example.com/lens/ada'],
      },
    })
  })

  test('lists only accounts with web URLs, each once', () => {
    const social = (url: string): Social => ({ ...(ada.socials[0] as Social), url })
    const hostile = [
      'javascript:alert(1)',
      'data:text/html,x',
      '//example.com',
      'ftp://a',
      '',
      'https://u:p@a/',
    ]
    const good = ['https://a.example/', 'http://b.example/?x=1&y=2']
    const markup = render({ socials: [...hostile, ...good, ...good].map(social) })
    expect(dataOf(markup).mainEntity.sameAs).toEqual(good)
    expect(dataOf(render({ socials: hostile.map(social) })).mainEntity).not.toHaveProperty('sameAs')
  })

  test('has no URLs of this service if the origin is unknown', () => {
    const markup = render({}, '')
    expect(markup).not.toMatch(/canonical|og:url|og:image/)
    expect(contentOf(markup, 'og:title')).toBe('Ada Lovélace 🐉: passport score 42.5, Established')
    expect(contentOf(markup, 'twitter:card')).toBe('summary')
    expect(dataOf(markup)).not.toHaveProperty('url')
    expect(dataOf(markup).mainEntity).not.toHaveProperty('url')
  })

  test('has a description without a percentile if none is known', () => {
    expect(contentOf(render({ human: false }, ORIGIN, ''), 'og:description')).toBe(
      'First of &quot;them&quot; &lt;all&gt; Activity 12, identity 10.25, skills 20.25.',
    )
  })

  test('escapes hostile names in the markup, and has the same names in the structured data', () => {
    for (const name of HOSTILE_NAMES) {
      const markup = render(call(name))
      expect(markup.match(/<\/?[a-z]+/gi)?.filter((tag) => !['<link', '<meta'].includes(tag))).toEqual([
        '<script',
        '</script',
      ])
      expect(markup).not.toMatch(/[\p{Bidi_Control}\u2028\u2029\0]|<!--/u)
      expect(markup.isWellFormed()).toBeTrue()
      expect(dataOf(markup).mainEntity.name).toBe(shortNameOf({ ...ADA, ...call(name) }))
      expect(contentOf(markup, 'og:title')?.length).toBeLessThan(2000)
    }
    expect(dataOf(render(call('</script> & "x" ]]> -->'))).mainEntity.name).toBe('</script> & "x" ]]> -->')
  })
})
