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
import { createPage } from '../../api/rendered-page.ts'
import { pageRoute, type Route } from '../../api/route.ts'
import { hashOf } from '../../store/hash.ts'

export const FONT_FAMILY = 'Source Serif 4'

type Subset = { name: string; file: string; characters: string }

/** The subsets of the package, with the characters that its stylesheet declares. A browser loads those that a page needs. */
const SUBSETS: readonly Subset[] = [
  {
    name: 'latin',
    file: latin,
    characters:
      'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD',
  },
  {
    name: 'latin-ext',
    file: latinExt,
    characters:
      'U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C4,U+2113,U+2C60-2C7F,U+A720-A7FF',
  },
  { name: 'cyrillic', file: cyrillic, characters: 'U+0301,U+0400-045F,U+0490-0491,U+04B0-04B1,U+2116' },
  {
    name: 'cyrillic-ext',
    file: cyrillicExt,
    characters: 'U+0460-052F,U+1C80-1C8A,U+20B4,U+2DE0-2DFF,U+A640-A69F,U+FE2E-FE2F',
  },
  {
    name: 'greek',
    file: greek,
    characters: 'U+0370-0377,U+037A-037F,U+0384-038A,U+038C,U+038E-03A1,U+03A3-03FF',
  },
  {
    name: 'vietnamese',
    file: vietnamese,
    characters:
      'U+0102-0103,U+0110-0111,U+0128-0129,U+0168-0169,U+01A0-01A1,U+01AF-01B0,U+0300-0301,U+0303-0304,U+0308-0309,U+0323,U+0329,U+1EA0-1EF9,U+20AB',
  },
]

export const FONTS = SUBSETS.map(({ name, file, characters }) => {
  const bytes = new Uint8Array(readFileSync(file))
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

/** Cached forever: a path changes with its content. */
export const fontRoutes = (): Route[] =>
  FONTS.map(({ path, bytes }) => {
    const headers = { 'Content-Type': 'font/woff2', 'Cache-Control': 'public, max-age=31536000, immutable' }
    const page = createPage(bytes, headers)
    return pageRoute(path, () => page)
  })
