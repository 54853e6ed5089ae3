import { NAMES } from './option-names.ts'

type Fields = {
  include?: readonly string[] | undefined
  select?: readonly string[] | undefined
  since?: unknown
}

/** What is accepted, and whether a value is. */
type Check = readonly [accepted: string, holds: (value: unknown, options: Fields) => boolean]

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
const isId = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
const isListOf = (value: unknown, names: readonly string[], least = 1) =>
  Array.isArray(value) && value.length >= least && value.every((name) => names.includes(name))

const oneOf = (names: readonly string[]): Check => [
  `one of ${names.join(', ')}`,
  (value) => names.includes(value as string),
]
const DATE: Check = [
  'a Date, a day such as 2026-10-01, or a time such as 2026-10-01T12:00:00Z',
  (value) =>
    value instanceof Date
      ? !Number.isNaN(value.getTime())
      : isText(value) && /^\d{4}-\d\d-\d\d(?:$|.*(?:Z|[+-]\d\d:?\d\d)$)/i.test(value),
]
const CURSOR: Check = ['a cursor of an earlier response', isText]

const BOOLEAN: Check = ['true or false', (value) => typeof value === 'boolean']

/** An option has the same meaning in every call. */
const CHECKS = {
  include: [`a list of ${NAMES.include.join(', ')}`, (value) => isListOf(value, NAMES.include, 0)],
  select: ['a list of fields such as score or standing.rank', (value) => isListOf(value, NAMES.select)],
  types: [`a list of ${NAMES.types.join(', ')}`, (value) => isListOf(value, NAMES.types)],
  sort: oneOf([...NAMES.sort.flatMap((field) => [`-${field}`, field]), ...NAMES.movers]),
  groupBy: oneOf(NAMES.groupBy),
  asOf: DATE,
  since: DATE,
  from: DATE,
  to: DATE,
  limit: [
    'a whole number from 1 to 250, or to 50 with credentials, standing, explanation or since',
    (value, options) => isId(value) && Number(value) >= 1 && Number(value) <= largestPage(options),
  ],
  cursor: CURSOR,
  after: CURSOR,
  q: ['a text', (value) => typeof value === 'string'],
  filter: ['a text such as human:true,score:>50', isText],
  stamp: ['the stamp of a rule set, which is the field "rules" of a passport', isText],
  keys: [
    'a list of passport ids, wallets and handles',
    (keys) => Array.isArray(keys) && keys.every((key) => typeof key === 'string' || isId(key)),
  ],
  passport: [
    'a passport id, a wallet or, in v3, a handle such as github:zoe',
    (key) => isText(key) || isId(key),
  ],
  follow: BOOLEAN,
  dryRun: BOOLEAN,
  id: ['the id of a subscription', isText],
  signal: ['an AbortSignal', (value) => typeof value === 'object' && value !== null && 'aborted' in value],
} satisfies Record<string, Check>

type OptionName = keyof typeof CHECKS

/** The options of all calls that return passports. */
export const FIELDS = ['include', 'select', 'signal'] as const

/** Throws a TypeError for an option that is not in `known`, and for an invalid value. */
export function checkOptions(known: readonly OptionName[], options: object = {}): void {
  for (const [name, value] of Object.entries(options)) {
    if (!(known as readonly string[]).includes(name))
      throw invalid('An option', `one of ${known.join(', ')}`, name)
    if (value !== undefined) checkValues({ [name]: value }, options)
  }
}

export function checkValues(values: Partial<Record<OptionName, unknown>>, options: Fields = {}): void {
  for (const [name, value] of Object.entries(values)) {
    const [accepted, holds]: Check = CHECKS[name as OptionName]
    if (!holds(value, options)) throw invalid(name, accepted, value)
  }
}

/** A page with included parts or changes has at most 50 passports. */
export function largestPage({ include = [], select = [], since }: Fields): number {
  const parts: readonly string[] = NAMES.include
  if (since !== undefined) return 50
  return [...include, ...select].some((path) => parts.includes(path.split('.')[0] ?? '')) ? 50 : 250
}

/** Encodes the key of a passport for a path or query. Refuses an empty key, which would request the list. */
export function toSegment(key: number | string): string {
  checkValues({ passport: key })
  return encodeURIComponent(String(key).trim())
}

function invalid(name: string, accepted: string, value: unknown): TypeError {
  const text = typeof value === 'string' || Array.isArray(value) ? JSON.stringify(value) : String(value)
  return new TypeError(`${name} must be ${accepted}, got ${text.slice(0, 100)}.`)
}
