import { expect, test } from 'bun:test'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { findSystemFonts, readFontFolder } from '../../../src/features/pictures/fonts-folder.ts'
import { tempFolder } from '../../support/temp-folder.ts'

type Files = Record<string, Uint8Array>

function readFiles(files: Files) {
  using folder = tempFolder()
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder.path, name), bytes)
  // A sparse file.
  if ('large.ttf' in files) truncateSync(join(folder.path, 'large.ttf'), 33_000_000)
  return readFontFolder(folder.path)
}

const FONT = Buffer.from('font')

test.each([
  ['NotoSansArabic-Regular.ttf', 'ب،'],
  ['NotoNaskhArabic-Bold.ttf', 'ب،'],
  ['NotoSansCJK-Regular.ttc', '山ひカー한'],
  ['NotoSerifCJKjp-Regular.otf', '山ひカー한'],
  ['NotoSansJP[wght].ttf', '山ひカー'],
  ['NotoSansDevanagari-Regular.OTF', 'अि'],
  ['NotoSansOldItalic-Regular.ttf', '𐌀'],
  ['NotoEmoji-Regular.ttf', '🐉'],
])('a font draws the characters of the script in its name: %s', (name, drawn) => {
  const [font] = readFiles({ [name]: FONT, LICENSE: FONT })
  expect(basename(font?.path ?? '')).toBe(name)
  const all = 'ب،山ひカー한अि𐌀🐉A1ɐ\uffff'
  expect([...all].filter((each) => font?.characters.test(each)).join('')).toBe(drawn)
})

const NAMED = 'the name of a.ttf is not that of a Noto font, such as NotoSansThai-Regular.ttf'

test.each<[string, Files]>([
  ['0 fonts', { 'NotoSansThai.woff2': FONT }],
  ['17 fonts', Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`${at}.ttf`, FONT]))],
  ['33.0 MB', { 'large.ttf': FONT }],
  [NAMED, { 'a.ttf': FONT }],
  [NAMED.replace('a.ttf', 'NotoColorEmoji.ttf'), { 'NotoColorEmoji.ttf': FONT, 'NotoSansThai.ttf': FONT }],
])('a folder of fonts is refused with the reason: %s', (reason, files) => {
  expect(() => readFiles(files)).toThrow(
    `SITE_FONTS must be a folder with 1 to 16 fonts (.ttf, .otf or .ttc) of at most 32.0 MB together, got "`,
  )
  expect(() => readFiles(files)).toThrow(`": ${reason}.`)
})

test('a missing folder of fonts is refused with the error of the file system', () => {
  expect(() => readFontFolder('/nowhere')).toThrow('got "/nowhere": ENOENT: no such file or directory')
})

test('the fonts of the system are one regular Noto font for each script, and those that are too large are left out', () => {
  using folder = tempFolder()
  const files = {
    'opentype/noto/NotoSansCJK-Regular.ttc': FONT,
    'opentype/noto/NotoSansCJK-Bold.ttc': FONT,
    'truetype/noto/NotoSansArabic-Regular.ttf': FONT,
    'truetype/other/NotoSansArabic-Regular.ttf': FONT,
    'truetype/noto/NotoSansThai-Regular.ttf': FONT,
    'truetype/noto/NotoSansRunic-Regular.ttf': FONT,
    'truetype/DejaVuSans.ttf': FONT,
  }
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(join(folder.path, name, '..'), { recursive: true })
    writeFileSync(join(folder.path, name), bytes)
  }
  // Larger than all fonts together may be.
  truncateSync(join(folder.path, 'truetype/noto/NotoSansThai-Regular.ttf'), 33_000_000)
  const found = findSystemFonts(folder.path).map(({ path }) => path.slice(folder.path.length + 1))
  expect(found).toEqual(['opentype/noto/NotoSansCJK-Regular.ttc', 'truetype/noto/NotoSansArabic-Regular.ttf'])
})

test('a system without a folder of fonts has none', () => {
  expect(findSystemFonts('/nowhere')).toEqual([])
})
