import { type Filter, formatFilter, unite } from '../../../core/lists/filter.ts'
import type { Level } from '../../../core/passport/rules/rule-set.ts'
import { termsOfLevels } from '../../../core/reads/search.ts'
import { type PeopleQuery, withoutTerms } from '../../../ui/list-address.ts'
import { formatFigure, shortWord } from '../../../ui/text.ts'

type Term = Filter[number]
type Condition = Term['conditions'][number]

/** `labels` are values as written, by field and folded value. `types` are the names of credentials. */
export type Names = {
  labels: Readonly<Record<string, string>>
  types: ReadonlyMap<string, string>
  levels: readonly Level[]
}

/** Terms in words: "tagged" and "“Rust” or “Solidity”". */
export type DescribedTerms = { terms: Filter; before: string; words: string }

/** Finds the levels whose scores are exactly those of the filter. */
export function findLevels({ filter }: PeopleQuery, levels: readonly Level[]) {
  const scores = filter.filter(({ field }) => field === 'score')
  const isSame = (terms: Filter) => `${terms.map(textOf).sort()}` === `${scores.map(textOf).sort()}`
  const found = termsOfLevels(levels).filter(({ terms }) => isSame(unite(scores, terms)))
  const [first, ...others] = found
  if (!first || (others.length > 0 && scores.length === 1)) return undefined
  const terms = others.reduce((all, level) => unite(all, level.terms), first.terms)
  return isSame(terms) ? { names: found.map(({ name }) => name), terms } : undefined
}

const textOf = (term: Term): string => formatFilter([term])

/** Describes a filter. The scores of levels are described together. */
export function describeFilter(query: PeopleQuery, names: Names): DescribedTerms[] {
  const level = findLevels(query, names.levels)
  const { filter } = level ? withoutTerms(query, level.terms) : query
  const placeOf = ({ field }: Term) => ORDER.indexOf(field) + (field === 'human' ? ORDER.length : 0)
  const sorted = filter.toSorted((one, other) => placeOf(one) - placeOf(other))
  const described = sorted.map((term) => ({ terms: [term], ...describeTerm(term, names) }))
  return level
    ? [...described, { terms: level.terms, before: 'with', words: `the level ${level.names.join(' or ')}` }]
    : described
}

/** The order of the words of a title: "tagged “zk” in Lisbon with GitHub". Other fields come first. */
const ORDER: readonly Term['field'][] = ['tag', 'location', 'type', 'points', 'score']

const WORDS: Partial<Record<Term['field'], readonly [string, string]>> = {
  ...{ tag: ['tagged', 'not tagged'], location: ['in', 'not in'], type: ['with', 'without'] },
}

/** A term that has no words is described as the text that the API reads. */
function describeTerm(term: Term, names: Names): Pick<DescribedTerms, 'before' | 'words'> {
  const { field, conditions } = term
  const [first] = conditions as [Condition]
  const isPlain = conditions.every(({ not }) => not === first.not) && (!first.not || conditions.length === 1)
  const raw = { before: '', words: formatFilter([term]) }
  const compared = describeComparison(term, names)
  if (compared !== undefined) return { before: 'with', words: compared }
  if (!isPlain) return raw
  if (field === 'human') {
    const isHuman = (first.value === 'true') !== first.not
    return isHuman ? { before: '', words: 'human' } : { before: 'without', words: 'a human check' }
  }
  const words = WORDS[field]
  if (!words) return raw
  const shown = conditions.map(({ value }) => labelOf(field, String(value), names))
  const quoted = field === 'tag' ? shown.map((label) => `“${label}”`) : shown
  return { before: words[Number(first.not)] ?? '', words: quoted.join(' or ') }
}

const MAX_LABEL_LENGTH = 90

export const labelOf = (field: string, value: string, { labels, types }: Names): string =>
  shortWord(
    (field === 'type' ? types.get(value) : undefined) ?? labels[`${field} ${value}`] ?? value,
    MAX_LABEL_LENGTH,
  )

const COMPARISONS = { '>': 'over', '>=': 'at least', '<': 'under', '<=': 'at most', '=': 'exactly' }
const NEGATED = { '>': 'at most', '>=': 'under', '<': 'at least', '<=': 'over', '=': 'other than' }

/** Returns "a score over 20" or "GitHub over 20 points". */
function describeComparison({ field, conditions }: Term, names: Names): string | undefined {
  const bounds = conditions
    .map(
      ({ not, operator, value }) =>
        `${(not ? NEGATED : COMPARISONS)[operator]} ${formatFigure(Number(value))}`,
    )
    .join(' or ')
  const [{ type }] = conditions as [Condition]
  if (type !== undefined)
    return conditions.every((each) => each.type === type && !each.not)
      ? `${labelOf('type', type, names)} ${bounds} points`
      : undefined
  const part = /^(?:(\w+)_)?score$/.exec(field)
  return part ? `${article(part[1])} score ${bounds}` : undefined
}

const article = (part = ''): string =>
  part === '' ? 'a' : /^[aeiou]/.test(part) ? `an ${part}` : `a ${part}`
