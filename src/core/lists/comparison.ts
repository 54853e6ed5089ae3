import { foldName } from '../basics/text/fold-name.ts'
import type { Level } from '../passport/rules/rule-set.ts'
import { FILTER_FIELDS, type Filter, type FilterField } from './filter.ts'

/** The comparisons of points and scores in words. */
const COMPARISONS = { '>': 'over', '>=': 'at least', '<': 'under', '<=': 'at most' }

type Comparison = keyof typeof COMPARISONS

/** "github>20" compares the points of a credential; ">200", "skills>20" and ">=120<250" compare the score or a part of it. */
export type Compared = 'points' | 'score'

const NUMBER = String.raw`\s*(\d{1,9}(?:\.\d{1,2})?)`
const PATTERN = new RegExp(`^([^<>]*)([<>]=?)${NUMBER}(?:(<=?)${NUMBER})?$`)

/** `type` is a credential or a part of the score. There are two bounds for a range, and none for an invalid text. */
export function parseComparison(text: string) {
  const [, type = '', ...parts] = PATTERN.exec(text) ?? []
  const bounds = [parts.slice(0, 2), parts.slice(2)].flatMap(([operator, number]) =>
    operator === undefined ? [] : [{ operator: operator as Comparison, value: Number(number) }],
  )
  return { type: type.trim(), bounds }
}

/** Returns "over 20", or "100 to 150" for a range that includes its bounds. */
export function describeBounds(bounds: Bounds, format: (value: number) => string): string {
  const isRange = bounds.map(({ operator }) => operator).join() === '>=,<='
  if (isRange) return bounds.map(({ value }) => format(value)).join(' to ')
  return bounds.map(({ operator, value }) => `${COMPARISONS[operator]} ${format(value)}`).join(' and ')
}

type Bounds = readonly { operator: Comparison; value: number }[]

/** Returns the shortest form of a comparison, or `undefined` if it is invalid. */
export function formatComparison(name: Compared, text: string): string | undefined {
  const { type, bounds } = parseComparison(text)
  const isKnown = name === 'points' ? type !== '' : Object.hasOwn(FILTER_FIELDS, scoreField(type))
  if (bounds.length === 0 || !isKnown) return undefined
  return `${type}${bounds.map(({ operator, value }) => `${operator}${value}`).join('')}`
}

/** The terms of a filter, one for each bound. */
export function toTerms(name: Compared, text: string): Filter {
  const { type, bounds } = parseComparison(text)
  const target = name === 'points' ? { field: name, of: { type } } : { field: scoreField(type), of: {} }
  return bounds.map((bound) => ({
    field: target.field,
    conditions: [{ not: false, ...bound, ...target.of }],
  }))
}

const scoreField = (part: string) => (part === '' ? 'score' : `${part}_score`) as FilterField

/** The name, the folded name and the scores of each level. A level whose limits are too long for a comparison is left out. */
export const compareLevels = (
  levels: readonly Level[] = [],
): { label: string; phrase: string; value: string }[] =>
  levels.flatMap(({ name, from }, at) => {
    const next = levels[at + 1]
    const value = formatComparison('score', `>=${from}${next ? `<${next.from}` : ''}`)
    return value === undefined ? [] : [{ label: name, phrase: foldName(name), value }]
  })
