import { NAMES } from './names.ts'

type Check = (name: string, value: unknown, options: Fields) => void

type Fields = { include?: readonly string[] | undefined; select?: readonly string[] | undefined }

const mustBe =
  (accepted: string, holds: (value: unknown) => boolean): Check =>
  (name, value) => {
    if (!holds(value)) throw invalid(name, accepted, value)
  }

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
const isId = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0

const oneOf = (names: readonly string[]) =>
  mustBe(`one of ${names.join(', ')}`, (value) => names.includes(value as string))

const listOf =
  (names: readonly string[], least = 1, near = (_: string) => names): Check =>
  (option, value) => {
    if (!Array.isArray(value) || value.length < least) throw invalid(option, 'a list with a name', value)
    for (const name of value)
      if (!names.includes(name))
        throw invalid(`A name in ${option}`, `one of ${near(String(name)).join(', ')}`, name)
  }

/** The fields of the same object as the dotted path, or the fields of a passport. */
function fieldsNear(path: string): readonly string[] {
  const parentOf = (each: string) => each.slice(0, each.lastIndexOf('.') + 1)
  const fieldsOf = (parent: string) => NAMES.select.filter((field) => parentOf(field) === parent)
  const near = fieldsOf(parentOf(path))
  return near.length > 0 ? near : fieldsOf('')
}

const isDate = (value: unknown) =>
  value instanceof Date
    ? !Number.isNaN(value.getTime())
    : isText(value) && /^\d{4}-\d\d-\d\d(?:$|.*(?:Z|[+-]\d\d:?\d\d)$)/i.test(value)
const date = mustBe('a Date, a day such as 2026-10-01, or a time such as 2026-10-01T12:00:00Z', isDate)
const cursor = mustBe('a cursor of an earlier response', isText)

/** An option has the same meaning in every call. */
const CHECKS = {
  include: listOf(NAMES.include, 0),
  select: listOf(NAMES.select, 1, fieldsNear),
  types: listOf(NAMES.types),
  sort: oneOf(NAMES.sort.flatMap((field) => [`-${field}`, field])),
  groupBy: oneOf(NAMES.groupBy),
  asOf: date,
  limit(name, value, options) {
    const largest = largestPage(options)
    const holds = isId(value) && Number(value) >= 1 && Number(value) <= largest
    if (!holds) throw invalid(name, `a whole number from 1 to ${largest}`, value)
  },
  cursor,
  after: cursor,
  q: mustBe('a text', (value) => typeof value === 'string'),
  filter: mustBe('a text such as human:true,score:>50', isText),
  stamp: mustBe('the stamp of a rule set, which is the field "rules" of a passport', isText),
  keys: mustBe(
    'a list of passport ids, wallets and handles',
    (keys) => Array.isArray(keys) && keys.every((key) => typeof key === 'string' || isId(key)),
  ),
  passport: mustBe(
    'a passport id, a wallet or, in v3, a handle such as github:zoe',
    (key) => isText(key) || isId(key),
  ),
  follow: mustBe('true or false', (value) => typeof value === 'boolean'),
  signal: mustBe(
    'an AbortSignal',
    (value) => typeof value === 'object' && value !== null && 'aborted' in value,
  ),
} satisfies Record<string, Check>

type OptionName = keyof typeof CHECKS

/** The options of all calls that return passports. */
export const FIELDS = ['include', 'select', 'signal'] as const

/** Throws a TypeError for an option that is not in `known`, and for an invalid value. */
export function checkOptions(known: readonly OptionName[], options: object | undefined): void {
  for (const [name, value] of Object.entries(options ?? {})) {
    if (!(known as readonly string[]).includes(name))
      throw invalid('An option', `one of ${known.join(', ')}`, name)
    if (value !== undefined) CHECKS[name as OptionName](name, value, options ?? {})
  }
}

/** A page with included parts has at most 50 passports. */
export const largestPage = ({ include = [], select = [] }: Fields): number =>
  [...include, ...select].some((path) =>
    (NAMES.include as readonly string[]).includes(path.split('.')[0] ?? ''),
  )
    ? 50
    : 250

export function checkTimes(times: object): void {
  for (const [name, time] of Object.entries(times)) date(name, time, {})
}

export const checkValue = (name: OptionName, value: unknown): void => CHECKS[name](name, value, {})

/** Encodes the key of a passport for a path or query. Refuses an empty key, which would request the list. */
export function toSegment(key: number | string): string {
  CHECKS.passport('A key', key, {})
  return encodeURIComponent(String(key).trim())
}

const invalid = (name: string, accepted: string, value: unknown) =>
  new TypeError(`${name} must be ${accepted}, got ${show(value)}.`)

const LONGEST = 100

function show(value: unknown): string {
  const isPlain = value instanceof Date || (typeof value !== 'object' && typeof value !== 'string')
  return (isPlain ? String(value) : JSON.stringify(value)).slice(0, LONGEST)
}
