import { graphemesOf, shortenText } from '../design/sanitize.ts'

/** Character widths of Verdana, the widest likely font, in thousandths of the font size. */
const WIDTHS: Record<string, number> = {
  ...widthsOf('ilIMW@', 274, 274, 421, 843, 989, 1000),
  ...widthsOf(' .,:;·…%-', 352, 364, 364, 454, 454, 364, 818, 1076, 454),
  ...widthsOf('0123456789', 636, 636, 636, 636, 636, 636, 636, 636, 636, 636),
  ...widthsOf('abcdefghjkm', 601, 623, 521, 623, 596, 352, 623, 633, 344, 592, 973),
  ...widthsOf('nopqrstuvwxyz', 633, 607, 623, 623, 427, 521, 394, 633, 592, 818, 592, 592, 525),
}

const WIDE = 1000
const EMOJI = 1300
/** Capitals and other alphabets; a few characters are wider. */
const OTHER = 720
const BOLD = 1.12

type Font = { size: number; bold?: boolean }

/** An estimate, because the reader's font is unknown: clip where overflow matters. */
export function textWidth(text: string, { size, bold = false }: Font): number {
  let sum = 0
  for (const grapheme of graphemesOf(text)) sum += widthOf(grapheme)
  return sum * scaleOf(size, bold)
}

export function fitText(text: string, width: number, { size, bold = false }: Font): string {
  return shortenText(text, width / scaleOf(size, bold), widthOf)
}

/** The font size at which the text fits, at most `largest`. */
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

function widthsOf(characters: string, ...widths: number[]): Record<string, number> {
  return Object.fromEntries([...characters].map((character, at) => [character, widths[at] ?? OTHER]))
}
