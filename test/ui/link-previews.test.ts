import { describe, expect, test } from 'bun:test'
import type { FullPassport } from '../../src/core/passport/passport.ts'
import { renderShareMeta, sharePassport } from '../../src/ui/layout.ts'
import { HOSTILE_NAMES } from '../support/explorer/hostile-names.ts'
import { createSite } from '../support/explorer/site.ts'
import { ada, NOON } from '../support/store/records.ts'

const ORIGIN = 'https://passports.example.com'
const BEST = 'Top 4% in Skills'
const ADA: FullPassport = { ...ada, stale: false, calculatedAt: NOON, merged: false }

const render = (given: Partial<FullPassport> = {}, origin = ORIGIN, best = BEST) => {
  const passport = { ...ADA, ...given }
  const site = { ...createSite().site, origin }
  return renderShareMeta(site, sharePassport(passport, best, 'Established')).markup
}

const call = (displayName: string) => ({ profile: { ...ADA.profile, displayName } })
const contentOf = (markup: string, name: string) =>
  new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(markup)?.[1]

describe('social metadata of a passport', () => {
  test('has the URL of the page, the URL of the card and a description of the score', () => {
    const markup = render()
    expect(markup).toContain(`<link rel="canonical" href="${ORIGIN}/passports/7">`)
    expect(contentOf(markup, 'og:type')).toBe('profile')
    expect(contentOf(markup, 'og:title')).toBe('Ada Lovélace 🐉: passport score 42.5, Established')
    expect(contentOf(markup, 'og:url')).toBe(`${ORIGIN}/passports/7`)
    expect(contentOf(markup, 'og:image')).toBe(`${ORIGIN}/card/7.png?score=42.5`)
    expect(contentOf(markup, 'og:image:type')).toBe('image/png')
    expect(contentOf(markup, 'og:image:width')).toBe('1200')
    expect(contentOf(markup, 'og:image:height')).toBe('630')
    expect(contentOf(markup, 'og:image:alt')).toBe('Ada Lovélace 🐉: passport score 42.5')
    expect(contentOf(markup, 'twitter:card')).toBe('summary_large_image')
    const words =
      'First of &quot;them&quot; &lt;all&gt; London · math · poetry · Top 4% in Skills · activity 12, identity 10.25, skills 20.25 · human'
    expect(contentOf(markup, 'og:description')).toBe(words)
  })

  test('has no URLs of this service if the origin is unknown', () => {
    const markup = render({}, '')
    expect(markup).not.toMatch(/canonical|og:url|og:image/)
    expect(contentOf(markup, 'og:title')).toBe('Ada Lovélace 🐉: passport score 42.5, Established')
    expect(contentOf(markup, 'twitter:card')).toBe('summary')
  })

  test('has a description without a percentile if none is known', () => {
    expect(contentOf(render({ human: false }, ORIGIN, ''), 'og:description')).toBe(
      'First of &quot;them&quot; &lt;all&gt; London · math · poetry · activity 12, identity 10.25, skills 20.25',
    )
  })

  test('escapes hostile names', () => {
    for (const name of HOSTILE_NAMES) {
      const markup = render(call(name))
      expect(new Set(markup.match(/<\/?[a-z]+/gi))).toEqual(new Set(['<link', '<meta']))
      expect(markup).not.toMatch(/[\p{Bidi_Control}\u2028\u2029\0]|<!--/u)
      expect(markup.isWellFormed()).toBeTrue()
      expect(contentOf(markup, 'og:title')?.length).toBeLessThan(2000)
    }
  })
})
