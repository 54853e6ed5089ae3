import { expect, test } from 'bun:test'
import { placeNames } from '../../../src/features/pictures/place-names.ts'
import { drawName } from '../../../src/features/pictures/svg.ts'

/** Each character is one font size wide. */
const measure = (text: string) => [...text].length

function place(name: string): string {
  const { markup } = drawName(name, { x: 9, y: 60, width: 9000, size: 10, smallest: 10, fill: '#000' })
  return placeNames(markup, measure).replace(/.*plaintext">|<\/text>.*/g, '')
}

test.each([
  ['Ada Lovélace', 'Ada Lovélace'],
  ['Анна Ахматова', 'Анна Ахматова'],
  ['زورق القمر', 'زورق القمر'],
  ['山田 太郎', '山田 太郎'],
  ['Łódź', '<tspan x="0">Ł</tspan><tspan x="10">ód</tspan><tspan x="30">ź</tspan>'],
  ['Tom & محمد', '<tspan x="0">Tom &amp; </tspan><tspan x="100">محمد</tspan>'],
  ['لا 山田', '<tspan x="0">لا </tspan><tspan x="22.5">山田</tspan>'],
  // The space after a complex syllable is a fourth of the font size.
  ['काग नाव', '<tspan x="0">का</tspan><tspan x="20">ग ना</tspan><tspan x="60">व</tspan>'],
  [
    'बाग़ी नाव',
    '<tspan x="0">बा</tspan><tspan x="20">ग़ी </tspan><tspan x="52.5">ना</tspan><tspan x="72.5">व</tspan>',
  ],
])('the parts of %s that need different files of fonts have their own places', (name, placed) => {
  expect(place(name.normalize('NFC'))).toBe(placed)
})
