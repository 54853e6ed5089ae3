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
import unicode from '@fontsource/source-serif-4/unicode.json'
import { hashOf } from '../../store/hash.ts'

export const FONT_FAMILY = 'Source Serif 4'

/** Browsers load only the subsets whose characters a page contains. */
const FILES = { latin, 'latin-ext': latinExt, cyrillic, 'cyrillic-ext': cyrillicExt, greek, vietnamese }

export const FONTS = Object.entries(FILES).map(([name, file]) => {
  const bytes = new Uint8Array(readFileSync(file))
  const characters = unicode[name as keyof typeof FILES]
  return { name, bytes, characters, path: `/fonts/${name}.${hashOf(bytes)}.woff2` }
})

/** The file that every page needs. */
export const LATIN_FONT_PATH = FONTS[0]?.path ?? ''

export const FONT_FACES = FONTS.map(
  ({ path, characters }) => `@font-face {
  font-family: "${FONT_FAMILY}";
  font-weight: 400;
  font-display: swap;
  src: url("${path}") format("woff2");
  unicode-range: ${characters};
}
`,
).join('')
