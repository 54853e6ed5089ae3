import { readFileSync } from 'node:fs'
import cyrillic from '@fontsource/source-serif-4/files/source-serif-4-cyrillic-400-normal.woff2' with {
  type: 'file',
}
import cyrillicExt from '@fontsource/source-serif-4/files/source-serif-4-cyrillic-ext-400-normal.woff2' with {
  type: 'file',
}
import greek from '@fontsource/source-serif-4/files/source-serif-4-greek-400-normal.woff2' with {
  type: 'file',
}
import latin from '@fontsource/source-serif-4/files/source-serif-4-latin-400-normal.woff2' with {
  type: 'file',
}
import latinExt from '@fontsource/source-serif-4/files/source-serif-4-latin-ext-400-normal.woff2' with {
  type: 'file',
}
import vietnamese from '@fontsource/source-serif-4/files/source-serif-4-vietnamese-400-normal.woff2' with {
  type: 'file',
}
import { hashOf } from '../../store/hash.ts'
import { type Html, html } from './html.ts'

export const FONT_FAMILY = 'Source Serif 4'

/** The fonts of cards, by their letters. */
export const FONTS = [latin, latinExt, cyrillic, cyrillicExt, greek, vietnamese].map(
  (file) => new Uint8Array(readFileSync(file)),
)

/** The only font of pages: each other file has up to 18 KB, often for one letter. */
export const [LATIN_FONT = new Uint8Array()] = FONTS

export const LATIN_FONT_PATH = `/fonts/latin.${hashOf(LATIN_FONT)}.woff2`

/** A letter that the font of pages lacks. */
const OTHER_LETTER = /(?![\0-\u00ff\u0131\u0152\u0153])\p{L}/u

/** Selects a font of the system for a heading with such a letter, because a name in two fonts is hard to read. */
export const selectFont = (text: string): Html =>
  OTHER_LETTER.test(text) ? html` class="system-serif"` : html``

export const FONT_FACE = `@font-face {
  font-family: "${FONT_FAMILY}";
  font-weight: 400;
  font-display: optional;
  src: url("${LATIN_FONT_PATH}") format("woff2");
}
`
