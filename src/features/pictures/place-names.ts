import { graphemesOf } from '../../ui/text.ts'
import { round } from './svg.ts'

const NAME = /( font-size="([\d.]+)"[^>]* unicode-bidi="plaintext">)([^<]+)/g

/**
 * Characters of one font file. The built-in font has Latin in several files, of which the first is complete for most
 * names.
 */
const KINDS = {
  latin: /[ -ÿŒœ–—‘’“”•…€™]/u,
  accented: /\p{Script=Latin}/u,
  arabic: /[\p{Script=Arabic}\p{Script=Hebrew}]/u,
  cyrillic: /[\p{Script=Cyrillic}\p{Script=Greek}]/u,
  other: /./su,
}
const kindOf = (grapheme: string) => Object.entries(KINDS).find(([, kind]) => kind.test(grapheme))?.[0]

/** A syllable of several glyphs, such as those of Indic scripts. */
const COMPLEX = /\p{Mc}|[ำຳ]|\p{M}\p{L}/u

/**
 * Gives each part of a name its own place. The rasterizer cannot shape a text that needs several font files, and
 * places the text after a complex syllable too far left. `measure` returns where the ink of a text ends, at font size
 * 1.
 */
export const placeNames = (svg: string, measure: (text: string) => number): string =>
  svg.replace(NAME, (found, start: string, size: string, name: string) => {
    const parts = splitName(name)
    let x = 0
    const placed = parts.map((part, at) => {
      const before = parts[at - 1] ?? ''
      const text = before.trim()
      // The advance of a complex syllable is wrong, and Arabic letters would join. A space has 0.25.
      if (COMPLEX.test(text) || KINDS.arabic.test(text)) x += measure(text) + (text === before ? 0 : 0.25)
      else if (text !== '') x += measure(`${before}${text}`) - measure(text)
      return `<tspan x="${round(x * Number(size))}">${part}</tspan>`
    })
    return parts.length === 1 ? found : `${start}${placed.join('')}`
  })

/** A part needs one font file, and only its last syllable is complex. */
function splitName(name: string): string[] {
  const parts: string[] = []
  let last = ''
  for (const grapheme of graphemesOf(name)) {
    const isEnd = last === '' || kindOf(last) === 'accented' || COMPLEX.test(last)
    const isNew = grapheme !== ' ' && (isEnd || kindOf(grapheme) !== kindOf(last))
    parts.push(isNew ? grapheme : `${parts.pop() ?? ''}${grapheme}`)
    if (grapheme !== ' ') last = grapheme
  }
  return parts
}
