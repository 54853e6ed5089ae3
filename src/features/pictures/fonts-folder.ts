import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CommandError } from '../../core/basics/errors.ts'
import { count, size } from '../../core/basics/text/counts-and-sizes.ts'
import { type CheckResult, ok, problem } from '../../core/cli/check-result.ts'
import type { Config } from '../../core/config/config.ts'

/** A font for names on cards. `characters` matches one character that the font can draw. */
export type Font = { path: string; characters: RegExp }

/** The picture thread reads the fonts of a card for each card. */
const [MOST_FILES, MOST_BYTES] = [16, 32_000_000]

/** Throws a `CommandError` that says what is wrong with the folder or one of its files. */
export function readFontFolder(folder: string): Font[] {
  try {
    const paths = readdirSync(folder)
      .filter((name) => /\.(?:ttf|otf|ttc)$/i.test(name))
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
      .sort()
    if (paths.length === 0 || paths.length > MOST_FILES) throw new Error(count(paths.length, 'font'))
    const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0)
    if (bytes > MOST_BYTES) throw new Error(size(bytes))
    return paths.map(readFont)
  } catch (error) {
    throw new CommandError(
      `SITE_FONTS must be a folder with 1 to ${MOST_FILES} fonts (.ttf, .otf or .ttc) of at most ${size(MOST_BYTES)} together, got "${folder}": ${(error as Error).message}.`,
    )
  }
}

/** The fonts in the folder of SITE_FONTS, or those of the system. */
export const findFonts = ({ fonts }: Config): Font[] =>
  fonts === undefined ? findSystemFonts() : readFontFolder(fonts)

export function checkFonts({ fonts: folder }: Config): CheckResult[] {
  if (folder === undefined) return []
  try {
    return [ok('fonts', `${count(readFontFolder(folder).length, 'font')} in ${folder} can be read.`)]
  } catch (error) {
    return [problem('fonts', (error as Error).message)]
  }
}

/** As many scripts as a folder may have files. */
const NOTO_FONT =
  /NotoSans(Arabic|Armenian|Bengali|CJK|Devanagari|Ethiopic|Georgian|Gujarati|Gurmukhi|Hebrew|Kannada|Malayalam|Myanmar|Tamil|Telugu|Thai)-Regular\.(?:ttf|otf|ttc)$/

/** Returns the Noto fonts of the system, one for each script. Skips fonts that cannot be read or are too large. */
export function findSystemFonts(folder = '/usr/share/fonts'): Font[] {
  const fonts = new Map<string, Font>()
  const names = orUndefined(() => readdirSync(folder, { recursive: true, encoding: 'utf8' })) ?? []
  for (const name of names.sort()) {
    const [, script = ''] = NOTO_FONT.exec(name) ?? []
    if (script === '' || fonts.has(script)) continue
    const path = join(folder, name)
    const font = orUndefined(() => (statSync(path).size > MOST_BYTES ? undefined : readFont(path)))
    if (font) fonts.set(script, font)
  }
  return [...fonts.values()]
}

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    // The system has no fonts, or one that cannot be read: cards show a handle instead of the name.
    return undefined
  }
}

/** Scripts whose name is not that of the file. All Noto fonts of CJK languages have Chinese characters. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  CJK: ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo'],
  JP: ['Han', 'Hiragana', 'Katakana'],
  KR: ['Han', 'Hangul'],
  SC: ['Han', 'Bopomofo'],
  TC: ['Han', 'Bopomofo'],
}

/** The name of a Noto font says its script: reading the file would need a parser of fonts. */
function readFont(path: string): Font {
  accessSync(path, constants.R_OK)
  const [, script = ''] = /^Noto(?:Sans|Serif|Naskh|Kufi)?(CJK|[A-Z][A-Za-z]*)/.exec(basename(path)) ?? []
  if (script === 'Emoji') return { path, characters: /^\p{Extended_Pictographic}$/u }
  const names = SCRIPTS[script] ?? [script.replace(/(?<=[a-z])(?=[A-Z])/g, '_')]
  try {
    // Joiners belong to no script.
    const letters = names.map((name) => `\\p{scx=${name}}`).join('')
    return { path, characters: new RegExp(`^[${letters}\u200c\u200d]$`, 'u') }
  } catch {
    throw new Error(
      `the name of ${basename(path)} is not that of a Noto font, such as NotoSansThai-Regular.ttf`,
    )
  }
}
