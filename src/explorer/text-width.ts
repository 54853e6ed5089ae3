import { graphemesOf, shortenText } from './sanitize.ts'

/** How wide Verdana and its likes are, in thousandths of the font's size: the widest of what readers may have. */
const WIDTHS: Record<string, number> = {
  ...each('ilIMW@', 274, 274, 421, 843, 989, 1000),
  ...each(' .,:;·…%-', 352, 364, 364, 454, 454, 364, 818, 1076, 454),
  ...each('0123456789', 636, 636, 636, 636, 636, 636, 636, 636, 636, 636),
  ...each('abcdefghjkm', 601, 623, 521, 623, 596, 352, 623, 633, 344, 592, 973),
  ...each('nopqrstuvwxyz', 633, 607, 623, 623, 427, 521, 394, 633, 592, 818, 592, 592, 525),
}

const WIDE = 1000
const EMOJI = 1300
/** Capitals and other alphabets; a few letters are wider. */
const OTHER = 720
const BOLD = 1.12

type Font = { size: number; bold?: boolean }

/** What the text takes on a line, about: no font is at hand here. Where that must not be wrong, clip. */
export function textWidth(text: string, { size, bold = false }: Font): number {
  let sum = 0
  for (const grapheme of graphemesOf(text)) sum += widthOf(grapheme)
  return sum * scaleOf(size, bold)
}

/** As much of the text as there is room for. */
export function fitText(text: string, width: number, { size, bold = false }: Font): string {
  return shortenText(text, width / scaleOf(size, bold), widthOf)
}

/** The size in which the text has room, at most `largest`. */
export function fitSize(text: string, width: number, largest: number, bold = false): number {
  return Math.min(largest, Math.floor(width / textWidth(text, { size: 1, bold })))
}

const scaleOf = (size: number, bold: boolean) => (size / 1000) * (bold ? BOLD : 1)

function widthOf(grapheme: string): number {
  const known = WIDTHS[grapheme.charAt(0)]
  if (known !== undefined) return known
  if (/\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(grapheme)) return EMOJI
  return Bun.stringWidth(grapheme) > 1 ? WIDE : OTHER
}

function each(letters: string, ...widths: number[]): Record<string, number> {
  return Object.fromEntries([...letters].map((letter, at) => [letter, widths[at] ?? OTHER]))
}
