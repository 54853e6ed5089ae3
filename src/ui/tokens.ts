import { mix } from '../core/basics/color-contrast.ts'

const COLORS = {
  ground: ['#f7f3ea', '#161917'],
  panel: ['#fdfbf6', '#1e2220'],
  ink: ['#24231f', '#ece8de'],
  soft: ['#625d52', '#aba698'],
  line: ['#ddd5c5', '#363b37'],
  accent: ['#1d6552', '#79c9b1'],
  accentInk: ['#fdfbf6', '#10201b'],
  notice: ['#f8ebcd', '#352d1a'],
  bad: ['#9b2f1b', '#f2998a'],
  code: ['#efe9db', '#292e2b'],
  activity: ['#bf8418', '#f0cb80'],
  identity: ['#22315f', '#5266c2'],
  skills: ['#c65f7c', '#f5b5c6'],
  track: ['#e7dfcf', '#303531'],
} as const

export type Colors = Record<keyof typeof COLORS, string>

const themeAt = (at: 0 | 1) =>
  Object.fromEntries(Object.entries(COLORS).map(([name, themes]) => [name, themes[at]])) as Colors

export const PALETTE = { light: themeAt(0), dark: themeAt(1) }

export type Theme = keyof typeof PALETTE

/** On covers, text is light in both themes. */
const COVER = {
  ...{ panel: 'transparent', ink: '#fdfbf6', soft: '#e4ddce', accent: '#f2d493', accentInk: '#24231f' },
  ...{ line: '#ffffff4d', track: '#ffffff40', bad: '#ffc0b3' },
}

export const coverOf = (accents: Record<Theme, string>): string => mix(accents.light, '#000000', 0.35)

export const onCover = (ground: string): Colors => ({ ...PALETTE.dark, ...COVER, ground, panel: ground })

/** The colours as custom properties of the stylesheet, with the operator's accents. */
export function writeColors(accents: Record<Theme, string>): string {
  const write = (colors: Record<string, string>) =>
    Object.entries(colors)
      .map(([name, color]) => `--${name.replace('I', '-i')}: ${color};\n`)
      .join('')
  const themes = Object.entries({ ...COLORS, accent: [accents.light, accents.dark] })
  const colors = Object.fromEntries(
    themes.map(([name, [light, dark]]) => [name, `light-dark(${light}, ${dark})`]),
  )
  const cover = { ...PALETTE.light, ...COVER, cover: coverOf(accents) }
  return `:root {\n${write(colors)}}\n.cover {\n${write(cover)}}\n`
}
