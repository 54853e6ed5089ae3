import { readFileSync } from 'node:fs'
import cyrillic from '@fontsource/source-serif-4/files/source-serif-4-cyrillic-400-normal.woff2'
import cyrillicExt from '@fontsource/source-serif-4/files/source-serif-4-cyrillic-ext-400-normal.woff2'
import greek from '@fontsource/source-serif-4/files/source-serif-4-greek-400-normal.woff2'
import latin from '@fontsource/source-serif-4/files/source-serif-4-latin-400-normal.woff2'
import latinExt from '@fontsource/source-serif-4/files/source-serif-4-latin-ext-400-normal.woff2'
import vietnamese from '@fontsource/source-serif-4/files/source-serif-4-vietnamese-400-normal.woff2'
import ranges from '@fontsource/source-serif-4/unicode.json'
import { hashOf } from '../../store/hash.ts'
import { type Html, html } from './html.ts'

export const FONT_FAMILY = 'Source Serif 4'

/** The files of the font. A character of several files is drawn with the first; the Latin file with most letters is the largest. */
const FILES = { latin, vietnamese, 'latin-ext': latinExt, greek, cyrillic, 'cyrillic-ext': cyrillicExt }

/** `letters` matches a character of the file. */
export const FONTS = Object.entries(FILES).map(([name, file]) => {
  const [bytes, range] = [readFileSync(file), ranges[name as keyof typeof ranges]]
  const set = range.replaceAll('U+', '\\u').replaceAll('-', '-\\u').replaceAll(',', '')
  const letters = new RegExp(`[${set}]`, 'gu')
  return { bytes, range, letters, path: `/fonts/${name}.${hashOf(bytes)}.woff2` }
})

/** Browsers load a file if its range has a character of the page. Optional: text that was painted in another font keeps it, so that nothing moves. */
export const FONT_FACE = FONTS.toReversed()
  .map(
    ({ path, range }) =>
      `@font-face { font-family: "${FONT_FAMILY}"; font-weight: 400; font-display: optional; src: url("${path}") format("woff2"); unicode-range: ${range}; }`,
  )
  .join('\n')

/** Preloads the files for a heading, because an optional font is used only if it arrives before the first paint. */
export function preloadFonts(heading: string): Html {
  let rest = `a${heading}`
  return html`${FONTS.map(({ letters, path }) => {
    const before = rest
    rest = rest.replace(letters, '')
    return rest === before
      ? html``
      : html`<link rel="preload" href="${path}" as="font" type="font/woff2" crossorigin>\n`
  })}`
}
