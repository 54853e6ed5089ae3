import { foldName } from '../../../core/basics/text/fold-name.ts'
import { joinRanges, readComparison } from '../../../core/lists/comparison.ts'
import { type Condition, formatFilter } from '../../../core/lists/filter.ts'
import { SCORE_PARTS } from '../../../ui/charts.ts'
import { FILTERS, type FilterName, MOST_VALUES, type RankingSort } from '../../../ui/list-address.ts'

/**
 * A tag, place or credential that some passports have, the scores of a level, or a filter of v3. If a phrase names the unit
 * of a credential, `toPoints` turns compared amounts into points: ">1000" contributions into ">=16".
 */
export type KnownFacet = Named & { count: number }

/** Finds the facets that a folded phrase names. */
export type KnownFacets = { get(phrase: string): readonly KnownFacet[] | undefined }

/** `text` has the words of a filter as typed. `rest` is the text without them: a name. `isJob`: an occupation asked for the order. */
export type ParsedSearch = { filters: Named[]; rest: string; sort?: RankingSort | undefined; isJob?: boolean }
type Named = { name: FilterName; value: string; text?: string; toPoints?: (comparison: string) => string }

type Words = readonly string[]

/** Later words are part of a name. */
const MOST_WORDS = 12
const MOST_FILTERS = 6

/**
 * Reads filters from a search text such as "human builders in łódź" or "github over 20". The longest phrase wins. If a
 * phrase is both a tag and a place, the word before it decides, or else the number of passports. Every list is a ranking, so
 * "top 10" is left out; "highest identity" is an order, and so is "developers".
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
  const hasSkills = rest.some((word) => OCCUPATION.test(word))
  if (filters.length === 0 && !hasSkills) return { filters, rest: text, sort }
  const isName = (word: string) =>
    !CONNECTING.has(foldName(word)) &&
    !OCCUPATION.test(word) &&
    !(filters.length > 0 && /^devs?$/i.test(word))
  const isJob = hasSkills && !sort
  return { filters, rest: joinWords(rest.filter(isName)), sort: isJob ? 'skills' : sort, isJob }
}

/** Occupations that are no tag or credential ask for skills. An "s" may be repeated, because `formsOf` adds one. */
export const OCCUPATION = /^(?:coder|developer|engineer|programmer)s*[,;]?$/i

/** All phrases of a text that may name a facet. */
export function phrasesOf(text: string): string[] {
  const words = splitWords(text).slice(0, MOST_WORDS)
  return [...new Set(words.flatMap((_, at) => phrasesAt(words, at).flatMap(({ phrase }) => formsOf(phrase))))]
}

/** A comparison is a word of its own: "github>20" has three words. So is a minus before a word, as in "solidity -github". */
const splitWords = (text: string) =>
  text.replace(KIND, '').match(/[<>]=?|(?<=^|\s)-(?=\p{L})|[^\s<>]+/gu) ?? []

const joinWords = (words: Words) => words.join(' ').replace(/(?<=^|\s)- (?=\p{L})/gu, '-')

const ENDING = /[,;]$/

/** The start of "show me humans" and "people like ada". */
const START = /^(?:(?:called|find|for|like|list|me|named|people|search|show|similar to|someone) )+(?=\S)/i
const SORT = /\b(?:best|by|highest|most|top) (activ|identity|skill)(?:e|ed|ity|s)?(?: scores?)?\b\s*/i
const TOP = /\b(?:top|best|high|highest) (?:\d{1,4}%?|people|scores?)(?!\w)\s*/i

/** Says what a word is, as in "wallet 0xde30" and "tag:zk". */
const KIND = /\b(?:(?:address|ens|wallet) (?=0x|\S+\.eth\b)|(?:credential|place|tag): ?)/gi

/** The folded phrases that begin at a word, the longest first. `end` is the index of the word after the phrase. */
const phrasesAt = (words: Words, at: number) =>
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
function readTerms(words: Words, at: number, known: KnownFacets) {
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

type ReadFilter = (Named & { end: number }) | undefined

/** Reads a filter that begins at a word. `end` is the index of the word after it. `isCompared`: a comparison precedes it. */
function readFilter(words: Words, at: number, known: KnownFacets, isCompared = false): ReadFilter {
  const part = SCORE_PARTS.find((each) => each === words[at]?.toLowerCase()) ?? ''
  const from = words.findIndex((word, to) => to >= at && ![part, 'score', 'of'].includes(word.toLowerCase()))
  // "score 100" means at least 100.
  const isLeast = from > at && /^\d{1,9}$/.test(words[from] ?? '')
  const score = isLeast ? { value: `>=${Number(words[from])}`, end: from + 1 } : findComparison(words, from)
  // "more than 20 github" compares the points for GitHub, "over 100, github" the score.
  const isNear = score && from === at && !ENDING.test(words[score.end - 1] ?? '')
  const skipped = Number(/^(for|in|on)$/i.test(words[score?.end ?? 0] ?? ''))
  const next = isNear && readFilter(words, score.end + skipped, known, true)
  if (next && next.name === 'credential') return { ...toPoints(next, score), end: next.end }
  if (score) return { ...score, name: 'score', value: `${part}${score.value}` }
  for (const { phrase, end } of phrasesAt(words, at)) {
    const [human, not] = /^(not |non-)?hum(?:ans?|a)?$/.exec(phrase) ?? []
    if (human) return { name: 'human', value: String(not === undefined), end }
    const facet = findFacet(phrase, known, HINTS[foldName(words[at - 1] ?? '')])
    // Units begin with "#". Without a comparison, a word such as "stars" may be a name.
    const credential = findFacet(`#${phrase}`, known) ?? facet
    // "github points above 20" means the same as "github above 20"; in "github, score above 20" it is the whole score.
    const isOwn = /^(points?|score)$/i.test(words[end] ?? '') && !ENDING.test(words[end - 1] ?? '')
    const points = credential?.name === 'credential' && findComparison(words, end + Number(isOwn))
    // "github over 1000 contributions" compares amounts, too.
    const after = points ? readFilter(words, points.end, known, true) : undefined
    const unit = after?.toPoints && after.value === credential?.value ? after : undefined
    if (credential && points) return { ...toPoints(unit ?? credential, points), end: (unit ?? points).end }
    const found = isCompared ? credential : facet
    if (found) return { ...found, end }
  }
  return undefined
}

const toPoints = (credential: Named, { value }: { value: string }): Named => ({
  ...credential,
  name: 'points',
  value: `${credential.value}${credential.toPoints?.(value) ?? value}`,
})

/** Numbers may be ids, so they name no facet. */
function findFacet(phrase: string, known: KnownFacets, hint?: KnownFacet['name']) {
  if (CONNECTING.has(phrase) || /^#?\d+$/.test(phrase)) return undefined
  const others = formsOf(phrase).flatMap((form) => known.get(form) ?? [])
  const facets = known.get(phrase) ?? others.filter(({ name }) => name !== 'place')
  const [best] = facets.toSorted(
    (one, other) =>
      Number(other.name === hint) - Number(one.name === hint) ||
      Number(other.value === phrase) - Number(one.value === phrase) ||
      other.count - one.count,
  )
  return best
}

/** Reads a comparison that begins at a word. */
function findComparison(words: Words, at: number): { value: string; end: number } | undefined {
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
  'a above account accounts all an and anyone are based below best but everybody everyone for from has have holder holders in is level member members near of on or over owner owners people person point points profile profiles score tagged than the top under user users verified who with'
export const CONNECTING = new Set(CONNECTING_WORDS.split(' '))
