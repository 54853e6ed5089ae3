import { expect, test } from 'bun:test'
import { contrast } from '../../src/core/basics/color-contrast.ts'
import { renderScoreBar } from '../../src/ui/charts.ts'
import { FONTS, LATIN_FONT_PATH } from '../../src/ui/fonts.ts'
import { rosette } from '../../src/ui/rosette.ts'
import { PALETTE, writeColors } from '../../src/ui/tokens.ts'

test('the stylesheet has the colours of both themes, including the accent colours of the site', () => {
  const style = writeColors({ light: '#111111', dark: '#eeeeee' })
  const { light, dark } = PALETTE
  expect(style).toContain(`--ground: light-dark(${light.ground}, ${dark.ground});`)
  expect(style).toContain(`--accent-ink: light-dark(${light.accentInk}, ${dark.accentInk});`)
  expect(style).toContain('--accent: light-dark(#111111, #eeeeee);')
})

test('the contrast of two colours is calculated as in WCAG, in either order', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#ffffff', '#777777')).toBeCloseTo(4.478)
  expect(contrast('#ff0000', '#0000ff')).toBeCloseTo(2.149)
})

test('adjacent segments of a score bar contrast with each other and with the background, and all text is readable', () => {
  for (const colors of Object.values(PALETTE)) {
    expect(contrast(colors.activity, colors.identity)).toBeGreaterThan(3)
    expect(contrast(colors.identity, colors.skills)).toBeGreaterThan(3)
    for (const part of [colors.activity, colors.identity, colors.skills]) {
      expect(contrast(part, colors.panel)).toBeGreaterThan(3)
      expect(part).not.toBe(colors.accent)
    }
    for (const text of [colors.ink, colors.soft, colors.accent, colors.bad]) {
      expect(contrast(text, colors.ground)).toBeGreaterThan(4.5)
      expect(contrast(text, colors.panel)).toBeGreaterThan(4.5)
      expect(contrast(text, colors.notice)).toBeGreaterThan(4.5)
    }
    expect(contrast(colors.accentInk, colors.accent)).toBeGreaterThan(4.5)
  }
})

test('the generated picture of an id (rosette) is small and reproducible, and nearly all ids have different ones', () => {
  const ids = [...Array.from({ length: 1000 }, (_, id) => id), 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]
  const drawn = ids.map((id) => rosette(id).markup)
  expect(ids.map((id) => rosette(id).markup)).toEqual(drawn)
  expect(Math.max(...drawn.map((markup) => markup.length))).toBeLessThan(1500)
  expect(new Set(drawn.map((markup) => markup.replace(/"#?r\d+"/g, ''))).size).toBeGreaterThan(990)
  expect(drawn.join('')).not.toMatch(/NaN|Infinity|style/)
})

test('the fonts are small files, of which pages use the first', () => {
  expect(FONTS).toHaveLength(6)
  for (const bytes of FONTS) {
    expect(Buffer.from(bytes.subarray(0, 4)).toString()).toBe('wOF2')
    expect(bytes.length).toBeLessThan(21_000)
  }
  expect(LATIN_FONT_PATH).toMatch(/^\/fonts\/latin\.[0-9a-z]+\.woff2$/)
})

const SCORES = { total: 100, activity: 50, identity: 30, skills: 20 }

const endsOf = (markup: string) =>
  [...markup.matchAll(/<rect class="(\w+)" x="([\d.]+)%" width="([\d.]+)%"/g)].map(
    ([, part, x, width]) => [part, Math.round(Number(x) + Number(width))] as const,
  )

test('a score bar separates its segments with gaps and textures, and its title names them', () => {
  const { markup } = renderScoreBar(SCORES, 200)
  expect(endsOf(markup)).toEqual([
    ['activity', 25],
    ['identity', 40],
    ['skills', 50],
  ])
  expect(markup.match(/class="gap"/g)).toHaveLength(2)
  expect(markup).toContain('class="on-identity"')
  expect(markup).toContain('class="on-skills"')
  expect(markup).toContain('<title>activity 50, identity 30, skills 20</title>')
})

test('a short segment of a score bar has a minimum length', () => {
  const { markup } = renderScoreBar({ total: 1000, activity: 600, identity: 1, skills: 399 }, 1000)
  expect(endsOf(markup)).toEqual([
    ['activity', 58],
    ['identity', 60],
    ['skills', 100],
  ])
})

test('a score beyond the scale fills the bar, which ends in an arrow', () => {
  const { markup } = renderScoreBar(SCORES, 40)
  expect(markup).toContain('class="bar beyond"')
  expect(endsOf(markup).at(-1)).toEqual(['skills', 100])
  expect(renderScoreBar(SCORES, 100).markup).not.toContain('beyond')
})

test('the length of a score bar shows the total, even if its segments add up to another sum', () => {
  expect(endsOf(renderScoreBar({ ...SCORES, total: 150 }, 200).markup).at(-1)).toEqual(['other', 75])
  expect(endsOf(renderScoreBar({ ...SCORES, total: 80 }, 200).markup).at(-1)).toEqual(['skills', 40])
  const strange = { total: 5, activity: 900, identity: -40, skills: 0.333 }
  for (const scale of [0, 5, 10, 1e9])
    expect(renderScoreBar(strange, scale).markup).not.toMatch(/NaN|Infinity|width="-/)
  expect(renderScoreBar({ total: 0, activity: 0, identity: 0, skills: 0 }, 0).markup).not.toMatch(/rect|NaN/)
})
