import { joinRanges, readComparison } from '../../domain/lists/comparison.ts'
import { type Condition, formatFilter } from '../../domain/lists/filter.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import { SCORE_PARTS } from '../design/charts.ts'
import { FILTERS, type FilterName, MOST_VALUES, type RankingSort } from './ranking-query.ts'

/** A tag, place or credential that some passports have, the scores of a level, or a filter of v3. */
export type KnownFacet = { name: Exclude<FilterName, 'human' | 'points'>; value: string; count: number }

/** Finds the facets that a folded phrase names. */
export type KnownFacets = { get(phrase: string): readonly KnownFacet[] | undefined }

/** `text` has the words of a filter as typed. `rest` is the text without them: a name. */
export type ParsedSearch = { filters: Named[]; rest: string; sort?: RankingSort | undefined }
type Named = { name: FilterName; value: string; text: string }

/** Later words are part of a name. */
const MOST_WORDS = 12
const MOST_FILTERS = 6

/**
 * Reads filters from a search text such as "human builders in łódź" or "github over 20". The longest phrase wins. If a
 * phrase is both a tag and a place, the word before it decides, or else the number of passports. Every list is a ranking, so
 * "top 10" is left out; "highest identity" is an order.
 */
export function parseSearch(typed: string, known: KnownFacets): ParsedSearch {
  const order = SORT.exec(typed)?.[1]?.toLowerCase()
  const sort = SCORE_PARTS.find((part) => order !== undefined && part.startsWith(order))
  const text = [START, SORT, TOP, KIND].reduce((rest, words) => rest.replace(words, ''), typed)
  const words = splitWords(text)
  const filters: Named[] = []
  const rest: string[] = []
  for (let at = 0; at < words.length; ) {
    const isRead = at < MOST_WORDS && filters.length < MOST_FILTERS
    const found = isRead ? (readTerms(words, at, known) ?? readFilter(words, at, known)) : undefined
    const isKept = found && filters.filter(({ name }) => name === found.name).length < MOST_VALUES[found.name]
    const end = isKept ? found.end : at + 1
    const phrase = words.slice(at, end).join(' ')
    if (isKept) filters.push({ ...found, text: phrase.replace(ENDING, '') })
    else rest.push(phrase)
    at = end
  }
  if (filters.length === 0) return { filters, rest: text, sort }
  // "solidity developers" are people tagged solidity, but "developers in lisbon" are not all people in Lisbon.
  const isSkill = filters.some(({ name }) => name === 'tag' || name === 'credential')
  const isName = (word: string) =>
    !CONNECTING.has(word) && !(isSkill && /^(dev|developer|engineer)s?$/.test(word))
  return { filters, rest: joinWords(rest.filter((word) => isName(foldName(word)))), sort }
}

/** All phrases of a text that may name a facet. */
export function phrasesOf(text: string): string[] {
  const words = splitWords(text).slice(0, MOST_WORDS)
  return [...new Set(words.flatMap((_, at) => phrasesAt(words, at).flatMap(({ phrase }) => formsOf(phrase))))]
}

/** A comparison is a word of its own: "github>20" has three words. So is a minus before a word, as in "solidity -github". */
const splitWords = (text: string) =>
  text.replace(KIND, '').match(/[<>]=?|(?<=^|\s)-(?=\p{L})|[^\s<>]+/gu) ?? []

const joinWords = (words: readonly string[]) => words.join(' ').replace(/(?<=^|\s)- (?=\p{L})/gu, '-')

const ENDING = /[,;]$/

/** The start of "show me humans" and "people like ada". */
const START = /^(?:(?:called|find|for|like|list|me|named|people|search|show|similar to|someone) )+(?=\S)/i
const SORT = /\b(?:best|by|highest|most|top) (activ|identity|skill)(?:e|ed|ity|s)?(?: scores?)?\b\s*/i
const TOP = /\b(?:top|best|high|highest) (?:\d{1,4}%?|people|scores?)(?!\w)\s*/i

/** Says what a word is, as in "wallet 0xde30" and "tag:zk". */
const KIND = /\b(?:(?:address|ens|wallet) (?=0x|\S+\.eth\b)|(?:credential|place|tag): ?)/gi

/** The folded phrases that begin at a word, the longest first. `end` is the index of the word after the phrase. */
const phrasesAt = (words: readonly string[], at: number) =>
  [at + 5, at + 4, at + 3, at + 2, at + 1]
    .filter((end) => end <= words.length)
    .map((end) => ({ phrase: foldName(words.slice(at, end).join(' ')).replace(ENDING, ''), end }))

/** The phrase, its plural, and what may be its singular. */
const formsOf = (phrase: string): string[] => [
  phrase,
  `${phrase}s`,
  ...['s', 'es'].filter((end) => phrase.endsWith(end)).map((end) => phrase.slice(0, -end.length)),
  phrase.replace(/ies$/, 'y'),
]

/** Reads "rust or solidity", "without github" and "not in lisbon or łódź" as a filter of v3. */
function readTerms(words: readonly string[], at: number, known: KnownFacets) {
  const not = NEGATING.has(foldName(words[at] ?? ''))
  const conditions: Condition[] = []
  let name: FilterName | undefined
  let end = not ? at + 1 : at
  do {
    const from = words.findIndex((word, to) => to >= end && !CONNECTING.has(foldName(word)))
    const next = from === -1 ? undefined : readFilter(words, from, known)
    if (!next || (name ?? next.name) !== next.name) break
    ;({ name, end } = next)
    conditions.push({ not, operator: '=', value: next.value })
    // A person has one place, so two places are alternatives.
  } while (name === 'place' || foldName(words[end] ?? '') === 'or')
  const range = not ? undefined : joinRanges(conditions.map(({ value }) => String(value)))
  if (range && name === 'score' && conditions.length > 1) return { name: 'score' as const, value: range, end }
  if (not && name === 'human') return { name, value: String(conditions[0]?.value !== 'true'), end }
  if (conditions.length < (not ? 1 : 2) || (name !== 'tag' && name !== 'place' && name !== 'credential'))
    return undefined
  const field = FILTERS[name]
  const terms = not ? conditions.map((each) => ({ field, conditions: [each] })) : [{ field, conditions }]
  return { name: 'filter' as const, value: formatFilter(terms), end }
}

type ReadFilter = { name: FilterName; value: string; end: number }

/** Reads a filter that begins at a word. `end` is the index of the word after it. */
function readFilter(words: readonly string[], at: number, known: KnownFacets): ReadFilter | undefined {
  const part = SCORE_PARTS.find((each) => each === words[at]?.toLowerCase()) ?? ''
  const from = words.findIndex((word, to) => to >= at && ![part, 'score', 'of'].includes(word.toLowerCase()))
  // "score 100" means at least 100.
  const isLeast = from > at && /^\d{1,9}$/.test(words[from] ?? '')
  const score = isLeast ? { value: `>=${Number(words[from])}`, end: from + 1 } : findComparison(words, from)
  // "more than 20 github" compares the points for GitHub, "over 100, github" the score.
  const isNear = score && from === at && !ENDING.test(words[score.end - 1] ?? '')
  const skipped = Number(/^(for|in|on)$/i.test(words[score?.end ?? 0] ?? ''))
  const next = isNear && readFilter(words, score.end + skipped, known)
  if (next && next.name === 'credential') return { ...next, name: 'points', value: next.value + score.value }
  if (score) return { ...score, name: 'score', value: `${part}${score.value}` }
  for (const { phrase, end } of phrasesAt(words, at)) {
    const [human, not] = /^(not |non-)?hum(?:ans?|a)?$/.exec(phrase) ?? []
    if (human) return { name: 'human', value: String(not === undefined), end }
    const facet = findFacet(phrase, known, HINTS[foldName(words[at - 1] ?? '')])
    // "github points above 20" means the same as "github above 20"; in "github, score above 20" it is the whole score.
    const isOwn = /^(points?|score)$/i.test(words[end] ?? '') && !ENDING.test(words[end - 1] ?? '')
    const points = facet?.name === 'credential' ? findComparison(words, end + Number(isOwn)) : undefined
    if (facet && points) return { ...points, name: 'points', value: `${facet.value}${points.value}` }
    if (facet) return { name: facet.name, value: facet.value, end }
  }
  return undefined
}

/** Numbers may be ids, so they name no facet. */
function findFacet(phrase: string, known: KnownFacets, hint: KnownFacet['name'] | undefined) {
  if (CONNECTING.has(phrase) || /^#?\d+$/.test(phrase)) return undefined
  const others = formsOf(phrase).flatMap((form) => known.get(form) ?? [])
  const facets = known.get(phrase) ?? others.filter(({ name }) => name !== 'place')
  const [best] = facets.toSorted(
    (one, other) => Number(other.name === hint) - Number(one.name === hint) || other.count - one.count,
  )
  return best
}

/** Reads a comparison that begins at a word. */
function findComparison(words: readonly string[], at: number): { value: string; end: number } | undefined {
  const read = phrasesAt(words, at).map(({ phrase, end }) => ({ value: readComparison(phrase), end }))
  return read.find((each): each is { value: string; end: number } => each.value !== undefined)
}

/** The word before a phrase says which facet it names. */
const HINTS: Record<string, KnownFacet['name']> = {
  ...{ in: 'place', from: 'place', tagged: 'tag', with: 'credential', has: 'credential' },
}

const NEGATING = new Set(['-', 'not', 'no', 'without', 'except', 'excluding'])

/** Words between filters, which are not part of a name. */
const CONNECTING_WORDS =
  'a above all an and anyone are based below best but everybody everyone from has have in is level near of or over people person point points score tagged than the top under verified who with'
export const CONNECTING = new Set(CONNECTING_WORDS.split(' '))
