import { foldName } from '../../domain/text/fold-name.ts'
import { escapeText } from '../html.ts'
import { graphemesOf } from '../sanitize.ts'

/** Escaped text with the first match of a folded keyword marked. The match covers whole graphemes. */
export function highlight(text: string, keyword: string | undefined): string {
  if (keyword === undefined) return escapeText(text)
  const graphemes = [...graphemesOf(text)]
  /** The folded text up to each grapheme; folding a grapheme alone would lose its spaces. */
  let folded = ''
  const starts = graphemes.map((grapheme) => {
    const start = folded.length
    folded += /\s/.test(grapheme) ? ' ' : foldName(grapheme)
    return start
  })
  const at = folded.indexOf(keyword)
  if (at === -1) return escapeText(text)
  const first = starts.findLastIndex((start) => start <= at)
  const after = starts.findIndex((start) => start >= at + keyword.length)
  const end = after === -1 ? graphemes.length : after
  return mark(
    graphemes.slice(0, first).join(''),
    graphemes.slice(first, end).join(''),
    graphemes.slice(end).join(''),
  )
}

export const mark = (before: string, marked: string, after: string): string =>
  `${escapeText(before)}<mark>${escapeText(marked)}</mark>${escapeText(after)}`
