import { readFileSync } from 'node:fs'
import cyrillic from '@fontsource/source-serif-4/files/source-serif-4-cyrillic-400-normal.woff2'
import cyrillicExt from '@fontsource/source-serif-4/files/source-serif-4-cyrillic-ext-400-normal.woff2'
import greek from '@fontsource/source-serif-4/files/source-serif-4-greek-400-normal.woff2'
import latin from '@fontsource/source-serif-4/files/source-serif-4-latin-400-normal.woff2'
import latinExt from '@fontsource/source-serif-4/files/source-serif-4-latin-ext-400-normal.woff2'
import vietnamese from '@fontsource/source-serif-4/files/source-serif-4-vietnamese-400-normal.woff2'
import { hashOf } from '../core/basics/hash.ts'

export const FONT_FAMILY = 'Source Serif 4'

export const FONTS = [latin, latinExt, cyrillic, cyrillicExt, greek, vietnamese].map((file) =>
  readFileSync(file),
)

/** The only font of pages: each other file has up to 18 KB, often for one letter. */
export const [LATIN_FONT = Buffer.of()] = FONTS

export const LATIN_FONT_PATH = `/fonts/latin.${hashOf(LATIN_FONT)}.woff2`

/** Optional: text that was painted in another font keeps it, so that nothing moves. */
export const FONT_FACE = `@font-face {
font-family: "${FONT_FAMILY}"; font-weight: 400; font-display: optional; src: url("${LATIN_FONT_PATH}") format("woff2");
}`
