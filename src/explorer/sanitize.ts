const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Controls, what turns the direction of the text around it, and what XML does not allow. */
const UNFIT = /[\p{Cc}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/gu
const BLANK = /^[\s\p{Default_Ignorable_Code_Point}\p{M}\u2800]*$/u

/** Words with one space between them. */
const CLEAN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/

const PLAIN = /^[\x20-\x7e]*$/

/** Longer than any emoji; marks heaped on one letter have no end. */
const LONGEST_GRAPHEME = 32

/** Text of other people on one line, such that it can stand in a page or a picture beside ours; empty where nothing of it is seen. */
export function cleanText(text: string): string {
  // Much quicker, and most texts are so.
  if (CLEAN.test(text)) return text
  const line = text.toWellFormed().replace(/\s+/g, ' ').replace(UNFIT, '').trim()
  return BLANK.test(line) ? '' : line
}

/** What a reader takes for one character, each; marks heaped on one are cut. */
export function* graphemesOf(text: string): Generator<string> {
  // Much quicker, and most texts are so.
  if (PLAIN.test(text)) return yield* text
  for (const { segment } of graphemes.segment(text)) {
    yield segment.length > LONGEST_GRAPHEME ? segment.slice(0, LONGEST_GRAPHEME).toWellFormed() : segment
  }
}

/** As much of the text as is no longer than `limit`, by what `sizeOf` says of a character; "…" where it was cut. */
export function shortenText(text: string, limit: number, sizeOf = (_grapheme: string) => 1): string {
  const ellipsis = sizeOf('…')
  let size = 0
  let whole = ''
  /** What there is room for with an ellipsis after it. */
  let short = ''
  for (const grapheme of graphemesOf(text)) {
    size += sizeOf(grapheme)
    if (size > limit) return `${short.trimEnd()}…`
    whole += grapheme
    if (size + ellipsis <= limit) short = whole
  }
  return whole
}

/** The same of a tag or a place: a word or two, as a rule. What is far behind what can be shown is not even looked at. */
export function shortWord(text: string, limit: number): string {
  const most = (limit + 1) * LONGEST_GRAPHEME
  const word = cleanText(text.length > most ? text.slice(0, most) : text)
  return word.length > limit ? shortenText(word, limit) : word
}

/** Whether the first letter that has a direction goes from right to left. */
export function isRightToLeft(text: string): boolean {
  const [letter = ''] = /\p{L}/u.exec(text) ?? []
  return RIGHT_TO_LEFT.test(letter)
}

const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u
