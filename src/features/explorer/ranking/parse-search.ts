import { foldName } from '../../../core/basics/text/fold-name.ts'
import { FILTER_FIELDS, formatFilter, parseFilter } from '../../../core/lists/filter.ts'
import { FILTERS, type FilterName, MOST_VALUES } from '../../../ui/list-address.ts'

/** A tag, place or credential that some passports have, or the scores of a level. */
export type KnownFacet = Named & { count: number }

/** Finds the facets that a folded phrase names. */
type KnownFacets = { get(phrase: string): readonly KnownFacet[] | undefined }

/** `rest` is the text without the words of the filters: a name. */
export type ParsedSearch = { filters: Named[]; rest: string }
type Named = { name: FilterName; value: string }
type Found = Named & { end: number }

type Words = readonly string[]

/** Later words are part of a name. */
const MOST_WORDS = 12
const MOST_FILTERS = 6

/**
 * Reads filters from a search text such as "human builder in łódź". The longest phrase wins. If a phrase is both a tag and a
 * place, the number of passports decides.
 */
export function parseSearch(typed: string, known: KnownFacets): ParsedSearch {
  const words = splitWords(typed)
  const filters: Named[] = []
  const rest: string[] = []
  for (let at = 0; at < words.length; ) {
    const isRead = at < MOST_WORDS && filters.length < MOST_FILTERS
    const found = isRead ? readTerms(words, at, known) : undefined
    const isKept = found && filters.filter(({ name }) => name === found.name).length < MOST_VALUES[found.name]
    const end = isKept ? found.end : at + 1
    if (isKept) filters.push({ name: found.name, value: found.value })
    else rest.push(words.slice(at, end).join(' '))
    at = end
  }
  if (filters.length === 0) return { filters, rest: typed }
  return { filters, rest: joinWords(rest.filter((word) => !CONNECTING.has(foldName(word)))) }
}

/** All phrases of a text that may name a facet. */
export function phrasesOf(text: string): string[] {
  const words = splitWords(text).slice(0, MOST_WORDS)
  return [
    ...new Set(
      words.flatMap((_, at) => phrasesAt(words, at).flatMap(({ phrase }) => [phrase, singularOf(phrase)])),
    ),
  ]
}

const singularOf = (phrase: string) => phrase.replace(/s$/, '')

/** A minus before a word is a word of its own, as in "solidity -github". */
const splitWords = (text: string) => text.match(/(?<=^|\s)-(?=\p{L})|\S+/gu) ?? []

const joinWords = (words: Words) => words.join(' ').replace(/(?<=^|\s)- (?=\p{L})/gu, '-')

/** The folded phrases that begin at a word, the longest first. `end` is the index of the word after the phrase. */
const phrasesAt = (words: Words, at: number) =>
  [at + 5, at + 4, at + 3, at + 2, at + 1]
    .filter((end) => end <= words.length)
    .map((end) => ({ phrase: foldName(words.slice(at, end).join(' ')).replace(/[,;]$/, ''), end }))

/** Reads a facet, "rust or solidity", "without github" or a term of a v3 filter. */
function readTerms(words: Words, at: number, known: KnownFacets): Found | undefined {
  const term = parseTerm(words[at] as string)
  if (term !== undefined) return { name: 'filter', value: term, end: at + 1 }
  const not = NEGATING.has(foldName(words[at] as string))
  const first = readFacet(words, not ? skipConnecting(words, at + 1) : at, known)
  if (!first) return undefined
  const { name } = first
  if (name === 'human') return { name, value: String(!not), end: first.end }
  // The only others are levels.
  if (name !== 'tag' && name !== 'place' && name !== 'credential') return not ? undefined : first
  const values = [first.value]
  let { end } = first
  while (foldName(words[end] ?? '') === 'or') {
    const next = readFacet(words, skipConnecting(words, end), known)
    if (next?.name !== name) break
    values.push(next.value)
    end = next.end
  }
  if (!not && values.length === 1) return first
  const field = FILTERS[name]
  const conditions = values.map((value) => ({ not, operator: '=' as const, value }))
  // All terms of a filter must be true, and one condition of a term.
  const filter = not ? conditions.map((each) => ({ field, conditions: [each] })) : [{ field, conditions }]
  return { name: 'filter', value: formatFilter(filter), end }
}

function skipConnecting(words: Words, at: number): number {
  const next = words.findIndex((word, to) => to >= at && !CONNECTING.has(foldName(word)))
  return next === -1 ? words.length : next
}

/** Returns a term of a v3 filter in its shortest form. A handle such as "github:zoe" is none. */
function parseTerm(word: string): string | undefined {
  if (!Object.hasOwn(FILTER_FIELDS, word.slice(0, Math.max(0, word.indexOf(':'))))) return undefined
  try {
    return formatFilter(parseFilter(foldName(word)))
  } catch {
    return undefined
  }
}

/** Reads the facet that begins at a word. `end` is the index of the word after it. */
function readFacet(words: Words, at: number, known: KnownFacets): Found | undefined {
  for (const { phrase, end } of phrasesAt(words, at)) {
    if (/^humans?$/.test(phrase)) return { name: 'human', value: 'true', end }
    // Numbers may be ids, so they name no facet.
    const facets =
      CONNECTING.has(phrase) || /^\d+$/.test(phrase)
        ? []
        : (known.get(phrase) ?? known.get(singularOf(phrase)) ?? [])
    const [best] = facets.toSorted(
      (one, other) =>
        Number(other.value === phrase) - Number(one.value === phrase) || other.count - one.count,
    )
    if (best) return { name: best.name, value: best.value, end }
  }
  return undefined
}

const NEGATING = new Set(['-', 'not', 'no', 'without'])

/** Words between filters, which are not part of a name. */
export const CONNECTING = new Set(
  'a an and are based from has have in is of on or people tagged the who with'.split(' '),
)
