import { invalidParameter, type ServiceError } from '../basics/errors.ts'
import { foldName } from '../basics/text/fold-name.ts'
import { describeUnknown } from '../basics/text/nearest-name.ts'
import { quote } from '../basics/text/quote.ts'

/** The fields of a filter and the kind of their values. */
export const FILTER_FIELDS = {
  score: 'number',
  activity_score: 'number',
  identity_score: 'number',
  skills_score: 'number',
  human: 'boolean',
  tag: 'text',
  location: 'text',
  type: 'text',
  points: 'points',
  source: 'text',
  rules: 'text',
} as const

export type FilterField = keyof typeof FILTER_FIELDS

export const FIELD_NAMES = Object.keys(FILTER_FIELDS) as FilterField[]

/** Longest first: `>=` also begins with `>`. */
export const OPERATORS = ['>=', '<=', '>', '<', '='] as const

export type Operator = (typeof OPERATORS)[number]

/** `value` is folded text, "true" or "false", or a number. `type` is the folded type of a credential with points. */
export type Condition = { not: boolean; operator: Operator; value: string | number; type?: string }

/** A passport matches a term if one of its conditions holds for the field. */
type Term = { field: FilterField; conditions: readonly Condition[] }

/** A passport matches a filter if it matches all terms. */
export type Filter = readonly Term[]

export const LONGEST_FILTER = 1000
export const MOST_CONDITIONS = 32

/** `position` is the index of the next character. `conditions` counts the conditions that were read. */
type Reader = { readonly text: string; position: number; conditions: number }

/**
 * Parses `human:true,score:>50,type:github|ens,points:github>20,tag:!bot`. A comma means "and", a pipe "or", `!` "not".
 * Throws `invalid_request` with the position, the text received and what is accepted.
 */
export function parseFilter(text: string): Filter {
  if (text.length > LONGEST_FILTER) {
    throw invalidFilter(`filter may have at most ${LONGEST_FILTER} characters, got ${text.length}.`)
  }
  const reader: Reader = { text, position: 0, conditions: 0 }
  const terms: Term[] = []
  do terms.push(readTerm(reader))
  while (skip(reader, ','))
  if (reader.position < text.length) throw unexpected(reader, 'a comma, a pipe or the end of the filter')
  return terms
}

/** The term for passports that have a value. */
export const equals = (field: FilterField, value: string) => ({
  field,
  conditions: [{ not: false, operator: '=' as const, value: foldName(value) }],
})

/** The passports that match one of two filters of the same field. */
export function unite(left: Filter, right: Filter): Filter {
  const pairs = left.flatMap(({ field, conditions }) =>
    right.map((term) => ({ field, conditions: [...conditions, ...term.conditions] })),
  )
  const terms = new Map(pairs.flatMap(joinRanges).map((term) => [formatFilter([term]), term]))
  return terms.size === 0 ? pairs : [...terms.values()]
}

/** Of scores, only the lowest "at least" and the highest "below" matter. A term that fits all numbers is left out. */
function joinRanges({ field, conditions }: Term): Filter {
  const select = (bound: Operator) =>
    conditions.filter(({ not, operator }) => !not && operator === bound).map(({ value }) => Number(value))
  const [least, most] = [select('>='), select('<')]
  if (FILTER_FIELDS[field] !== 'number' || least.length + most.length < conditions.length)
    return [{ field, conditions }]
  if (Math.min(...least) <= Math.max(...most)) return []
  const bound = (operator: Operator, value: number) =>
    Number.isFinite(value) ? [{ not: false, operator, value }] : []
  return [{ field, conditions: [...bound('<', Math.max(...most)), ...bound('>=', Math.min(...least))] }]
}

/** Writes the text of a filter, which `parseFilter` reads. */
export const formatFilter = (filter: Filter): string =>
  filter.map(({ field, conditions }) => `${field}:${conditions.map(formatCondition).join('|')}`).join(',')

function formatCondition({ not, operator, value, type }: Condition): string {
  const comparison = type === undefined ? operator.replace(/^=$/, '') : `${formatText(type)}${operator}`
  return `${not ? '!' : ''}${comparison}${typeof value === 'number' ? value : formatText(value)}`
}

const formatText = (text: string) =>
  /^[\p{L}\p{N} ._-]+$/u.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`

function readTerm(reader: Reader): Term {
  const field = readField(reader)
  const conditions: Condition[] = []
  do conditions.push(readCondition(reader, field))
  while (skip(reader, '|'))
  return { field, conditions }
}

function readField(reader: Reader): FilterField {
  skipSpaces(reader)
  const start = reader.position
  const name = readWhile(reader, NAME)
  if (name === '') throw unexpected(reader, `a field (${FIELD_NAMES.join(', ')})`)
  if (!isField(name)) {
    const unknown = describeUnknown('field', name, FIELD_NAMES)
    throw invalidFilter(`filter at character ${start + 1}: ${unknown}`)
  }
  if (!skip(reader, ':')) throw unexpected(reader, `a colon after ${name}`)
  return name
}

const isField = (name: string): name is FilterField => Object.hasOwn(FILTER_FIELDS, name)

function readCondition(reader: Reader, field: FilterField): Condition {
  if (++reader.conditions > MOST_CONDITIONS)
    throw invalidFilter(`filter may have at most ${MOST_CONDITIONS} values, got more.`)
  const not = skip(reader, '!')
  const kind = FILTER_FIELDS[field]
  const type = kind === 'points' ? readType(reader) : undefined
  skipSpaces(reader)
  const start = reader.position
  const operator = OPERATORS.find((operator) => reader.text.startsWith(operator, start))
  reader.position += operator?.length ?? 0
  if (type !== undefined && !operator) throw unexpected(reader, 'a comparison, such as points:github>20')
  if (operator && kind !== 'number' && type === undefined) {
    reader.position = start
    throw unexpected(
      reader,
      `a value of ${field}, which is not compared by size (use quotes: "${operator}…")`,
    )
  }
  return {
    not,
    operator: operator ?? '=',
    value: readValue(reader, field),
    ...(type !== undefined && { type }),
  }
}

/** Reads the type of a credential, which ends at an operator. */
function readType(reader: Reader): string {
  skipSpaces(reader)
  const start = reader.position
  const text = reader.text[start] === '"' ? readQuoted(reader) : readWhile(reader, TYPE)
  const type = foldName(text)
  if (type === '')
    throw unexpected({ ...reader, position: start }, 'the type of a credential, such as points:github>20')
  return type
}

function readValue(reader: Reader, field: FilterField): string | number {
  skipSpaces(reader)
  const start = reader.position
  const text = reader.text[start] === '"' ? readQuoted(reader) : readBare(reader, field)
  const kind = FILTER_FIELDS[field]
  if (kind === 'number' || kind === 'points') {
    if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
    throw refuseFilter(
      start,
      quote(text),
      `a number for ${field}, such as ${field}:${kind === 'points' ? 'github' : ''}>50`,
    )
  }
  const value = foldName(text)
  if (kind === 'boolean' && value !== 'true' && value !== 'false') {
    throw refuseFilter(start, quote(text), `${field}:true or ${field}:false`)
  }
  if (value === '') throw refuseFilter(start, quote(text), `a value of ${field} that is not blank`)
  return value
}

function readBare(reader: Reader, field: FilterField): string {
  const text = readWhile(reader, BARE)
  if (text.trim() === '' || text.startsWith('!')) {
    reader.position -= text.length
    throw unexpected(reader, `a value of ${field}`)
  }
  const next = reader.text[reader.position]
  if (next === ':' || next === '"') {
    throw unexpected(reader, 'a value without colon and quote, or a value in double quotes')
  }
  return text.trim()
}

/** `\"` and `\\` stand for a quote and a backslash. */
function readQuoted(reader: Reader): string {
  const start = reader.position
  const [match, text] = /^"((?:[^"\\]|\\["\\])*)"/.exec(reader.text.slice(start)) ?? []
  if (match === undefined || text === undefined) {
    throw unexpected(reader, 'a closing double quote (a quote in the value is \\", a backslash \\\\)')
  }
  reader.position += match.length
  return text.replace(/\\(["\\])/g, '$1')
}

const NAME = /[^\s,|:"!<>=]*/y
const BARE = /[^,|:"]*/y
const TYPE = /[^,|:"!<>=]*/y
const SPACES = /\s*/y

/** Reads the text at the current position that matches the pattern, which must be sticky. */
function readWhile(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.position
  const [text = ''] = pattern.exec(reader.text) ?? []
  reader.position += text.length
  return text
}

const skipSpaces = (reader: Reader) => void readWhile(reader, SPACES)

/** Skips spaces and then the character. Returns whether the character was there. */
function skip(reader: Reader, character: string): boolean {
  skipSpaces(reader)
  if (reader.text[reader.position] !== character) return false
  reader.position++
  return true
}

const invalidFilter = (detail: string) => invalidParameter('filter', detail)

const refuseFilter = (position: number, received: string, accepted: string): ServiceError =>
  invalidFilter(`filter at character ${position + 1}: expected ${accepted}, got ${received}.`)

function unexpected({ text, position }: Reader, accepted: string): ServiceError {
  const rest = text.slice(position)
  return refuseFilter(position, rest === '' ? 'the end of the filter' : quote(rest), accepted)
}
