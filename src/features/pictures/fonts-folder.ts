import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CommandError } from '../../core/basics/errors.ts'
import { count, size } from '../../core/basics/text/counts-and-sizes.ts'

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

/** As many scripts as a folder may have files. */
const NOTO_FONT =
  /NotoSans(Arabic|Armenian|Bengali|CJK|Devanagari|Ethiopic|Georgian|Gujarati|Gurmukhi|Hebrew|Kannada|Malayalam|Myanmar|Tamil|Telugu|Thai)-Regular\.(?:ttf|otf|ttc)$/

/** Returns the Noto fonts of the system, one for each script. Fonts that are damaged or too large are left out. */
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
    // The system has no fonts, or a damaged one: cards show a handle instead of the name.
    return undefined
  }
}

/** A font without outlines has only bitmaps, which the rasterizer does not draw. */
function readFont(path: string): Font {
  const file = openSync(path, 'r')
  try {
    const tables = findTables(file)
    const hasOutlines = tables.has('glyf') || tables.has('CFF ') || tables.has('CFF2')
    const map = hasOutlines ? tables.get('cmap') : undefined
    const ranges = map ? readCharacterMap(readBytes(file, map.offset, map.length)) : []
    if (ranges.length > 0) return { path, characters: new RegExp(`^[${describeRanges(ranges)}]$`, 'u') }
  } catch {
    // An offset is outside of the table, or groups overlap.
  } finally {
    closeSync(file)
  }
  throw new Error(`${basename(path)} is not a font with outlines`)
}

/** A file has up to 20 MB, of which this needs 0.5 MB at most. */
function readBytes(file: number, offset: number, length: number): DataView {
  const bytes = new Uint8Array(Math.min(length, 2_000_000))
  return new DataView(bytes.buffer, 0, readSync(file, bytes, 0, bytes.length, offset))
}

/** Finds the tables of an OpenType font, or of the first font of a collection. */
function findTables(file: number): Map<string, { offset: number; length: number }> {
  const head = readBytes(file, 0, 16)
  const start = head.getUint32(0) === 0x74746366 ? head.getUint32(12) : 0
  const list = readBytes(file, start, 12 + 16 * MOST_TABLES)
  return new Map(
    Array.from({ length: Math.min(MOST_TABLES, list.getUint16(4)) }, (_, at) => {
      const entry = 12 + 16 * at
      const tag = [0, 1, 2, 3].map((byte) => String.fromCharCode(list.getUint8(entry + byte))).join('')
      return [tag, { offset: list.getUint32(entry + 8), length: list.getUint32(entry + 12) }]
    }),
  )
}

/** Fonts have fewer tables and maps of characters. A damaged font could name 65,535 maps of a million characters each. */
const [MOST_TABLES, MOST_MAPS] = [64, 16]

type Range = [first: number, last: number]

/** Reads the table `cmap`, in the formats of current fonts: 12 has all characters, and 4 has those of 16 bits. */
function readCharacterMap(view: DataView): Range[] {
  const starts = Array.from({ length: Math.min(MOST_MAPS, view.getUint16(2)) }, (_, at) => {
    const [platform, encoding] = [view.getUint16(4 + 8 * at), view.getUint16(6 + 8 * at)]
    // Other maps have a symbol encoding, or that of an old system.
    return platform === 0 || (platform === 3 && [1, 10].includes(encoding)) ? view.getUint32(8 + 8 * at) : 0
  })
  const startOf = (format: number) => starts.find((start) => start > 0 && view.getUint16(start) === format)
  const [all, some] = [startOf(12), startOf(4)]
  if (all !== undefined) return [...readGroups(view, all)]
  return some === undefined ? [] : [...readSegments(view, some)]
}

function* readSegments(view: DataView, table: number): Generator<Range> {
  const length = view.getUint16(table + 6)
  let next = 0
  for (let end = table + 14; end < table + 14 + length; end += 2) {
    const start = end + length + 2
    const [delta, offset] = [view.getUint16(start + length), view.getUint16(start + 2 * length)]
    const first = view.getUint16(start)
    // No character is read twice, even if segments overlap.
    next = Math.max(next, first)
    for (; next <= view.getUint16(end) && next < 0xffff; next++) {
      const glyph = start + 2 * length + offset + 2 * (next - first)
      if ((offset === 0 ? (next + delta) & 0xffff : view.getUint16(glyph)) !== 0) yield [next, next]
    }
  }
}

function* readGroups(view: DataView, table: number): Generator<Range> {
  let next = 0
  for (let at = 0; at < view.getUint32(table + 12); at++) {
    const group = table + 16 + 12 * at
    const [first, last] = [view.getUint32(group), view.getUint32(group + 4)]
    // Groups are in order, which bounds the number of characters.
    if (first < next || last < first || last > 0x10ffff) throw new RangeError('The groups overlap.')
    next = last + 1
    yield [first, last]
  }
}

/** Describes code points as the ranges of a regular expression. */
function describeRanges(given: Range[]): string {
  const ranges: Range[] = []
  for (const [first, last] of given.sort(([one], [other]) => one - other)) {
    const range = ranges.at(-1)
    if (range && range[1] >= first - 1) range[1] = Math.max(range[1], last)
    else ranges.push([first, last])
  }
  return ranges.map((range) => range.map((end) => `\\u{${end.toString(16)}}`).join('-')).join('')
}
