import { foldName } from '../basics/text/fold-name.ts'
import type { Level, RuleSetShape } from '../passport/rules/rule-set.ts'
import { equals, FILTER_FIELDS, type Filter, formatFilter, parseFilter, unite } from './filter.ts'
import type { GroupField } from './list-request.ts'

type Term = Filter[number]

/** A term of a v3 filter, and the words of the text that mean it. */
export type Chip = { term: Term; words: string }

/** What a search text means: people with all chips, whose name contains the words of `name`. */
export type ReadText = { chips: Chip[]; name: string }

/** What a folded phrase is equal to, such as a tag and a place. */
export type Lookup = (phrase: string) => readonly Candidate[]
/** A level is two terms: its lowest score, and that of the next level. */
export type Candidate = { terms: Filter; count: number }

/** Later words are part of a name. */
const MOST_WORDS = 12
const LONGEST_PHRASE = 5

/** These words are no value and, beside a chip, no part of a name. */
const CONNECTING = new Set(
  'a all and are for from has have in is of on or people person that the who with tagged'.split(' '),
)
const NEGATING = new Set(['not', 'no', 'without', '-'])

/** These words say which of several values is meant. */
const FIELDS: Record<string, GroupField> = { in: 'location', from: 'location', tagged: 'tag', with: 'type' }

/**
 * Words that are equal to a value become chips, the longest phrase first. "or" joins two values of a field; "not",
 * "no", "without" and a minus sign negate the next chip. A word that is a v3 filter, such as `score:>50`, is read as
 * one. All other words are a name, as are those in double quotes.
 */
export function readText(typed: string, lookup: Lookup): ReadText {
  const words = splitWords(typed)
  const chips: Chip[] = []
  const rest: string[] = []
  for (let at = 0; at < words.length; ) {
    const match = at < MOST_WORDS ? readChips(words, at, lookup) : undefined
    if (match) addChips(chips, match)
    else rest.push(words[at] as string)
    at = match?.end ?? at + 1
  }
  const name = chips.length === 0 ? words : rest.filter((word) => !CONNECTING.has(foldName(word)))
  const unquoted = name.map((word) => word.replace(/^"(.*)"$/, '$1'))
  return { chips, name: unquoted.join(' ').replace(/(?<=^|\s)- /g, '-') }
}

/** A minus sign before a word is a word of its own. Spaces in double quotes separate no words. */
const splitWords = (text: string): string[] => text.match(/(?<=^|\s)-(?=\p{L})|(?:"[^"]*"|\S)+/gu) ?? []

/** `end` is the index of the next word. */
type ChipMatch = { chips: Chip[]; end: number; isNegated: boolean; isOr: boolean }

function readChips(words: readonly string[], at: number, lookup: Lookup): ChipMatch | undefined {
  const first = foldName(words[at] as string)
  const [isOr, isNegated] = [first === 'or', NEGATING.has(first)]
  const start = isOr || isNegated ? skipConnecting(words, at + 1) : at
  if (start >= words.length) return undefined
  const filter = isNegated ? undefined : readFilter(words[start] as string)
  if (filter) {
    const chips = filter.map((term) => ({ term, words: formatFilter([term]) }))
    return { chips, end: start + 1, isNegated, isOr }
  }
  const hint = FIELDS[foldName(words[start - 1] ?? '')]
  for (let end = Math.min(words.length, start + LONGEST_PHRASE); end > start; end--) {
    const phrase = words.slice(start, end)
    const chips = findTerms(phrase, hint, lookup).map((term) => ({ term, words: phrase.join(' ') }))
    if (chips.length > 0) return { chips, end, isNegated, isOr }
  }
  return undefined
}

function skipConnecting(words: readonly string[], at: number): number {
  let next = at
  while (next < words.length && CONNECTING.has(foldName(words[next] as string))) next++
  return next
}

/** Of several values with the same text, the field of the word before decides, then the number of people. */
function findTerms(words: readonly string[], hint: GroupField | undefined, lookup: Lookup): Filter {
  const phrase = foldName(words.join(' ')).replace(/[,;]$/, '')
  // A number may be an id.
  if (CONNECTING.has(phrase) || /^\d+$/.test(phrase)) return []
  if (/^humans?$/.test(phrase)) return [equals('human', 'true')]
  const candidates = [...lookup(phrase), ...lookup(phrase.replace(/s$/, ''))]
  const isHinted = ({ terms }: Candidate) => Number(terms[0]?.field === hint)
  const [best] = candidates.sort((a, b) => isHinted(b) - isHinted(a) || b.count - a.count)
  return best?.terms ?? []
}

/** A handle such as "github:zoe" is no filter. */
function readFilter(word: string): Filter | undefined {
  if (!Object.hasOwn(FILTER_FIELDS, word.slice(0, Math.max(0, word.indexOf(':'))))) return undefined
  try {
    return parseFilter(word.replace(/,$/, ''))
  } catch {
    // The word is part of a name.
    return undefined
  }
}

/** "lisbon or porto" is one term; "not lisbon or porto" is two: neither of them. */
function addChips(chips: Chip[], { chips: added, isNegated, isOr }: ChipMatch): void {
  const last = chips.at(-1)
  const [first] = added as [Chip]
  const isSame = isOr && last !== undefined && last.term.field === first.term.field
  const wasNegated = last?.term.conditions.every(({ not }) => not) ?? false
  if (isSame && !wasNegated) {
    // A level is several chips with the same words.
    const isOther = ({ term, words }: Chip) => words !== last.words || term.field !== last.term.field
    const start = chips.findLastIndex(isOther) + 1
    const united = unite(termsOf(chips.splice(start)), termsOf(added))
    chips.push(...united.map((term) => ({ term, words: `${last.words} or ${first.words}` })))
  } else chips.push(...(isNegated || isSame ? negate(added) : added))
}

const termsOf = (chips: readonly Chip[]): Filter => chips.map(({ term }) => term)

/** A score that is not in a range is below it or above it. */
function negate(chips: readonly Chip[]): Chip[] {
  const isRange = chips.length > 1 && chips.every(({ term }) => term.field === 'score')
  const groups = isRange ? [chips] : chips.map((chip) => [chip])
  return groups.map((group) => {
    const [{ term, words }] = group as [Chip]
    const all = group.flatMap(({ term: { conditions } }) => conditions)
    return {
      term: { ...term, conditions: all.map((condition) => ({ ...condition, not: !condition.not })) },
      words,
    }
  })
}

/** The names of levels and credentials, which are no values of passports. */
export function phrasesOf(rules: RuleSetShape): Map<string, Filter[]> {
  const phrases = new Map<string, Filter[]>()
  const add = (phrase: string, terms: Filter) => phrases.getOrInsert(phrase, []).push(terms)
  for (const { name, terms } of termsOfLevels(rules.levels)) add(foldName(name), terms)
  for (const [type, { name }] of Object.entries(rules.types))
    for (const phrase of new Set([foldName(name), foldName(type).replaceAll('_', ' ')]))
      add(phrase, [equals('type', type)])
  return phrases
}

/** The scores of each level. */
export const termsOfLevels = (levels: readonly Level[] = []): { name: string; terms: Filter }[] =>
  levels.map(({ name, from }, at) => {
    const next = levels[at + 1]
    return { name, terms: [compareScore('>=', from), ...(next ? [compareScore('<', next.from)] : [])] }
  })

const compareScore = (operator: '>=' | '<', value: number): Filter[number] => ({
  field: 'score',
  conditions: [{ not: false, operator, value }],
})
