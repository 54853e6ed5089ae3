const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Control characters, bidirectional controls, and characters that XML forbids. */
const FORBIDDEN = /[\p{Cc}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/gu
const BLANK = /^[\s\p{Default_Ignorable_Code_Point}\p{M}\u2800]*$/u

/** ASCII words separated by single spaces. */
const CLEAN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/

const PLAIN = /^[\x20-\x7e]*$/

/** Longer than any emoji. Stacked combining marks have no limit of their own. */
const MAX_GRAPHEME_LENGTH = 32

/** Untrusted text on one line, safe to show in a page or an SVG; empty if nothing is visible. */
export function cleanText(text: string): string {
  if (CLEAN.test(text)) return text
  const line = text.toWellFormed().replace(/\s+/g, ' ').replace(FORBIDDEN, '').trim()
  return BLANK.test(line) ? '' : line
}

/** The graphemes of a text; stacked marks are truncated. */
export function* graphemesOf(text: string): Generator<string> {
  if (PLAIN.test(text)) return yield* text
  for (const { segment } of graphemes.segment(text)) {
    yield segment.length > MAX_GRAPHEME_LENGTH
      ? segment.slice(0, MAX_GRAPHEME_LENGTH).toWellFormed()
      : segment
  }
}

/** Truncates the text to `limit`, measured by `sizeOf` a grapheme, and appends "…". */
export function shortenText(text: string, limit: number, sizeOf = (_grapheme: string) => 1): string {
  const ellipsis = sizeOf('…')
  let size = 0
  let whole = ''
  /** The longest prefix that fits with an ellipsis. */
  let short = ''
  for (const grapheme of graphemesOf(text)) {
    size += sizeOf(grapheme)
    if (size > limit) return `${short.trimEnd()}…`
    whole += grapheme
    if (size + ellipsis <= limit) short = whole
  }
  return whole
}

/** For tags and locations. Very long text is cut first, which bounds the time. */
export function shortWord(text: string, limit: number): string {
  const most = (limit + 1) * MAX_GRAPHEME_LENGTH
  const word = cleanText(text.length > most ? text.slice(0, most) : text)
  return word.length > limit ? shortenText(word, limit, lengthOf) : word
}

/** UTF-16 units, which bound the size of a page; a grapheme may have many. */
export const lengthOf = (text: string): number => text.length

export function isRightToLeft(text: string): boolean {
  const [letter = ''] = /\p{L}/u.exec(text) ?? []
  return RIGHT_TO_LEFT.test(letter)
}

const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u
