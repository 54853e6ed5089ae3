import { graphemesOf } from '../design/text.ts'
import { round } from './svg.ts'

/** Returns where the ink of a text ends, at font size 1. */
type Measure = (text: string) => number

/** A name, as `drawName` draws it. */
const NAME = /( font-size="([\d.]+)"[^>]* unicode-bidi="plaintext">)([^<]+)/g

/** Characters that one font file has: the built-in font has Latin in several files, of which this is the first. */
const LATIN = /[ -ÿŒœ–—‘’“”•…€™]/u
const ACCENTED = /\p{Script=Latin}/u
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const ARABIC = /[\p{Script=Arabic}\p{Script=Hebrew}]/u
const KINDS = [LATIN, ACCENTED, ARABIC, CJK, /[\p{Script=Cyrillic}\p{Script=Greek}]/u]

/** A syllable of several glyphs, such as those of Indic scripts. */
const COMPLEX = /\p{Mc}|[ำຳ]|\p{M}\p{L}/u

/**
 * Gives each part of a name its own place. The rasterizer cannot shape a text that needs several font files, and
 * places the text after a complex syllable too far left.
 */
export const placeNames = (svg: string, measure: Measure): string =>
  svg.replace(NAME, (found, start: string, size: string, name: string) => {
    const parts = splitName(name)
    if (parts.length === 1) return found
    let x = 0
    const placed = parts.map((part, at) => {
      if (at > 0) x += advanceOf(parts[at - 1] ?? '', measure)
      return `<tspan x="${round(x * Number(size))}">${part}</tspan>`
    })
    return `${start}${placed.join('')}`
  })

/** A part needs one font file, and only its last syllable is complex. */
function splitName(name: string): string[] {
  const parts: string[] = []
  let [kind, isOver] = [0, true]
  for (const grapheme of graphemesOf(name)) {
    const own = grapheme === ' ' ? kind : KINDS.findIndex((each) => each.test(grapheme))
    const isNew = grapheme !== ' ' && (isOver || own !== kind)
    parts.push(isNew ? grapheme : `${parts.pop() ?? ''}${grapheme}`)
    if (grapheme !== ' ') isOver = KINDS[own] === ACCENTED || COMPLEX.test(grapheme)
    kind = own
  }
  return parts
}

function advanceOf(part: string, measure: Measure): number {
  const text = part.trim()
  // The advance of a complex syllable is wrong, and Arabic letters would join. A space has 0.25.
  if (COMPLEX.test(text) || ARABIC.test(text)) return measure(text) + (text === part ? 0 : 0.25)
  return measure(`${part}${text}`) - measure(text)
}
