import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CommandError } from '../domain/errors.ts'
import { count, size } from '../domain/text/counts-and-sizes.ts'

/** The operator's fonts. All threads share their bytes. `characters` matches one character that a font can draw. */
export type FontFolder = { files: Uint8Array<SharedArrayBuffer>[]; characters: RegExp }

/** The picture thread copies the files for each card. */
const [MOST_FILES, MOST_BYTES] = [16, 32_000_000]

/** Throws a `CommandError` that says what is wrong with the folder or one of its files. */
export function readFontFolder(folder: string): FontFolder {
  try {
    const paths = readdirSync(folder)
      .filter((name) => /\.(?:ttf|otf|ttc)$/i.test(name))
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
      .sort()
    if (paths.length === 0 || paths.length > MOST_FILES) throw new Error(count(paths.length, 'font'))
    const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0)
    if (bytes > MOST_BYTES) throw new Error(size(bytes))
    const files = paths.map(readShared)
    const drawn = new Set(files.flatMap((file, at) => listCharacters(file, paths[at] ?? '')))
    return { files, characters: new RegExp(`^[${describeRanges([...drawn])}]$`, 'u') }
  } catch (error) {
    throw new CommandError(
      `SITE_FONTS must be a folder with 1 to ${MOST_FILES} fonts (.ttf, .otf or .ttc) of at most ${size(MOST_BYTES)} together, got "${folder}": ${(error as Error).message}.`,
    )
  }
}

function readShared(path: string): Uint8Array<SharedArrayBuffer> {
  const bytes = readFileSync(path)
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return shared
}

/** A font without outlines has only bitmaps, which the rasterizer does not draw. */
function listCharacters(file: Uint8Array, path: string): number[] {
  const view = new DataView(file.buffer)
  try {
    const tables = findTables(view)
    const hasOutlines = tables.has('glyf') || tables.has('CFF ') || tables.has('CFF2')
    const characters = new Set(hasOutlines ? readCharacterMap(view, tables.get('cmap') ?? 0) : [])
    if (characters.size > 0) return [...characters]
  } catch {
    // An offset is outside of the file, or groups overlap.
  }
  throw new Error(`${basename(path)} is not a font with outlines`)
}

/** Returns the offsets of the tables of an OpenType font, or of the first font of a collection. */
function findTables(view: DataView): Map<string, number> {
  const start = view.getUint32(0) === 0x74746366 ? view.getUint32(12) : 0
  return new Map(
    Array.from({ length: view.getUint16(start + 4) }, (_, at) => {
      const entry = start + 12 + 16 * at
      const tag = [0, 1, 2, 3].map((byte) => String.fromCharCode(view.getUint8(entry + byte))).join('')
      return [tag, view.getUint32(entry + 8)]
    }),
  )
}

/** Fonts have fewer. A damaged font could name 65,535 tables of a million characters each. */
const MOST_TABLES = 16

/** Reads the code points of the table `cmap`, in the formats of current fonts: 4 (16 bits) and 12 (all of Unicode). */
function* readCharacterMap(view: DataView, map: number): Generator<number> {
  for (let at = 0; at < Math.min(MOST_TABLES, view.getUint16(map + 2)); at++) {
    const platform = view.getUint16(map + 4 + 8 * at)
    const encoding = view.getUint16(map + 6 + 8 * at)
    // Other tables have a symbol encoding, or that of an old system.
    if (platform !== 0 && !(platform === 3 && [1, 10].includes(encoding))) continue
    const table = map + view.getUint32(map + 8 + 8 * at)
    const format = view.getUint16(table)
    if (format === 4) yield* readSegments(view, table)
    else if (format === 12) yield* readGroups(view, table)
  }
}

function* readSegments(view: DataView, table: number): Generator<number> {
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
      if ((offset === 0 ? (next + delta) & 0xffff : view.getUint16(glyph)) !== 0) yield next
    }
  }
}

function* readGroups(view: DataView, table: number): Generator<number> {
  let next = 0
  for (let at = 0; at < view.getUint32(table + 12); at++) {
    const group = table + 16 + 12 * at
    const [first, last] = [view.getUint32(group), view.getUint32(group + 4)]
    // Groups are in order, which bounds the number of characters.
    if (first < next || last < first || last > 0x10ffff) throw new RangeError('The groups overlap.')
    for (next = first; next <= last; next++) yield next
  }
}

/** Describes code points as the ranges of a regular expression. */
function describeRanges(characters: number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const character of characters.sort((one, other) => one - other)) {
    const range = ranges.at(-1)
    if (range && range[1] === character - 1) range[1] = character
    else ranges.push([character, character])
  }
  return ranges.map((range) => range.map((end) => `\\u{${end.toString(16)}}`).join('-')).join('')
}
