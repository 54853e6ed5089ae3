import { wordsOf } from '../../domain/lists/list-request.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import { escapeText } from '../html.ts'
import { graphemesOf } from '../sanitize.ts'

/** Escaped text with the first match of each word of a folded keyword marked. A match covers whole graphemes. */
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
  const isMarked = new Array<boolean>(graphemes.length).fill(false)
  for (const word of wordsOf(keyword)) {
    const at = folded.indexOf(word)
    if (at === -1) continue
    const first = starts.findLastIndex((start) => start <= at)
    const after = starts.findIndex((start) => start >= at + word.length)
    isMarked.fill(true, first, after === -1 ? graphemes.length : after)
  }
  let marked = ''
  for (let at = 0, end = 0; at < graphemes.length; at = end) {
    for (end = at; end < graphemes.length && isMarked[end] === isMarked[at]; ) end++
    const run = escapeText(graphemes.slice(at, end).join(''))
    marked += isMarked[at] ? `<mark>${run}</mark>` : run
  }
  return marked
}

export const mark = (before: string, marked: string, after: string): string =>
  `${escapeText(before)}<mark>${escapeText(marked)}</mark>${escapeText(after)}`
