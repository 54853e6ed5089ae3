import { expect, test } from 'bun:test'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { findSystemFonts, readFontFolder } from '../../../src/features/pictures/fonts-folder.ts'
import { makeFont } from '../../support/explorer/make-font.ts'
import { tempFolder } from '../../support/temp-folder.ts'

type Files = Record<string, Uint8Array>

function readFiles(files: Files) {
  using folder = tempFolder()
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder.path, name), bytes)
  // A sparse file.
  if ('large.ttf' in files) truncateSync(join(folder.path, 'large.ttf'), 33_000_000)
  return readFontFolder(folder.path)
}

test.each<[string, Files]>([
  ['.ttf with 16-bit characters', { 'a.ttf': makeFont('ب山田', { format: 4 }) }],
  ['.otf with all of Unicode', { 'a.OTF': makeFont('ب山田🐉') }],
  ['.ttc', { 'a.ttc': makeFont('ب山田', { isCollection: true }) }],
  [
    'two fonts beside another file',
    { 'a.ttf': makeFont('ب'), 'b.ttf': makeFont('山田'), LICENSE: Buffer.from('x') },
  ],
])('a folder of fonts knows the characters that they draw: %s', (_kind, files) => {
  const fonts = readFiles(files)
  const drawn = (text: string) => [...text].filter((each) => fonts.some((font) => font.characters.test(each)))
  expect(fonts.map(({ path }) => basename(path))).toEqual(
    Object.keys(files).filter((name) => name !== 'LICENSE'),
  )
  expect(drawn('ب山田')).toEqual([...'ب山田'])
  // Characters between and beside those of the font.
  expect(drawn('ة屲A\uffff')).toEqual([])
  expect(drawn('🐉').length > 0).toBe('a.OTF' in files)
})

/** A font whose map of characters has as many tables as possible, or as many overlapping segments. */
function makeDamaged(format: 4 | 12): Buffer {
  const font = makeFont('山')
  const tables = format === 4 ? 1 : 0xffff
  const start = 4 + 8 * tables
  const map = Buffer.alloc(start + 0x20000)
  map.writeUInt16BE(tables, 2)
  for (let at = 4; at < start; at += 8) {
    map.writeUInt16BE(3, at)
    map.writeUInt16BE(10, at + 2)
    map.writeUInt32BE(start, at + 4)
  }
  map.writeUInt16BE(format, start)
  if (format === 12) {
    map.writeUInt32BE(1, start + 12)
    map.writeUInt32BE(0xffff, start + 20)
  } else {
    map.writeUInt16BE(30_000, start + 6)
    // The ends of all segments. The segments begin with the character 0.
    map.fill(0xff, start + 14, start + 14 + 30_000)
  }
  const damaged = Buffer.concat([font, map])
  damaged.writeUInt32BE(font.length, damaged.indexOf('cmap') + 8)
  damaged.writeUInt32BE(map.length, damaged.indexOf('cmap') + 12)
  return damaged
}

test.each([4, 12] as const)('a damaged font with character map %d does not delay the start', (format) => {
  const [font] = readFiles({ 'a.ttf': makeDamaged(format) })
  expect([...'a山'].filter((character) => !font?.characters.test(character))).toEqual([])
})

test.each<[string, Files]>([
  ['0 fonts', { 'a.woff2': makeFont('山') }],
  ['17 fonts', Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`${at}.ttf`, makeFont('山')]))],
  ['33.0 MB', { 'large.ttf': makeFont('山') }],
  ['a.ttf is not a font with outlines', { 'a.ttf': Buffer.from('not a font') }],
  ['a.ttf is not a font with outlines', { 'a.ttf': Buffer.alloc(0) }],
  ['a.ttf is not a font with outlines', { 'a.ttf': makeFont('山').subarray(0, 150) }],
  ['a.ttf is not a font with outlines', { 'a.ttf': makeFont('山', { outlines: false }) }],
  ['a.ttf is not a font with outlines', { 'a.ttf': makeFont('山山') }],
  ['b.ttf is not a font with outlines', { 'a.ttf': makeFont('山'), 'b.ttf': makeFont('') }],
])('a folder of fonts is refused with the reason: %s', (reason, files) => {
  expect(() => readFiles(files)).toThrow(
    new RegExp(
      `^SITE_FONTS must be a folder with 1 to 16 fonts \\(\\.ttf, \\.otf or \\.ttc\\) of at most 32\\.0 MB together, got ".+": ${reason}\\.$`,
    ),
  )
})

test('a missing folder of fonts is refused with the error of the file system', () => {
  expect(() => readFontFolder('/nowhere')).toThrow('got "/nowhere": ENOENT: no such file or directory')
})

test('the fonts of the system are one regular Noto font for each script, and damaged ones are left out', () => {
  using folder = tempFolder()
  const files = {
    'opentype/noto/NotoSansCJK-Regular.ttc': makeFont('山', { isCollection: true }),
    'opentype/noto/NotoSansCJK-Bold.ttc': makeFont('山', { isCollection: true }),
    'truetype/noto/NotoSansArabic-Regular.ttf': makeFont('ب'),
    'truetype/other/NotoSansArabic-Regular.ttf': makeFont('ب'),
    'truetype/noto/NotoSansHebrew-Regular.ttf': Buffer.from('not a font'),
    'truetype/other/NotoSansHebrew-Regular.ttf': makeFont('ב'),
    'truetype/noto/NotoSansThai-Regular.ttf': makeFont('ก'),
    'truetype/noto/NotoSansRunic-Regular.ttf': makeFont('ᚠ'),
    'truetype/DejaVuSans.ttf': makeFont('A'),
  }
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(join(folder.path, name, '..'), { recursive: true })
    writeFileSync(join(folder.path, name), bytes)
  }
  // Larger than all fonts together may be.
  truncateSync(join(folder.path, 'truetype/noto/NotoSansThai-Regular.ttf'), 33_000_000)
  const found = findSystemFonts(folder.path).map(({ path }) => path.slice(folder.path.length + 1))
  expect(found).toEqual([
    'opentype/noto/NotoSansCJK-Regular.ttc',
    'truetype/noto/NotoSansArabic-Regular.ttf',
    'truetype/other/NotoSansHebrew-Regular.ttf',
  ])
})

test('a system without a folder of fonts has none', () => {
  expect(findSystemFonts('/nowhere')).toEqual([])
})
