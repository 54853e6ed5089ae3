import type { InvalidValue } from '../errors.ts'
import { describeUnknown } from '../text/nearest-name.ts'
import { invalidValues, MOST_INVALID } from './invalid.ts'
import { Passport } from './schemas.ts'

/** The parts of a passport that come with `include`. */
export const INCLUDES = ['credentials', 'standing', 'explanation'] as const

export type Include = (typeof INCLUDES)[number]

/** The fields of a response: the included parts, and the dotted paths of the selected fields if `select` was given. */
export type Fields = { includes: ReadonlySet<Include>; selection: readonly string[] | undefined }

type Given = { include?: readonly string[] | undefined; select?: readonly string[] | undefined }

/** Where a value was given: `include` or `select`, and its place in the list. */
export type PointerOf = (name: keyof Given, at: number) => string

/** `select` of an included part includes it; `include` adds the part to `select`. Throws `invalid_request`. */
export function parseFields({ include = [], select }: Given, pointerOf: PointerOf): Fields {
  const invalid: InvalidValue[] = []
  const check = (name: keyof Given, values: readonly string[], noun: string, known: readonly string[]) => {
    for (const [at, value] of values.entries()) {
      if (!known.includes(value) && invalid.length < MOST_INVALID)
        invalid.push({ pointer: pointerOf(name, at), detail: describeUnknown(noun, value, known) })
    }
  }
  check('include', include, 'value of include', INCLUDES)
  check('select', select ?? [], 'field', PATHS)
  if (select?.length === 0)
    invalid.push({ pointer: pointerOf('select', 0), detail: 'The list select is empty.' })
  if (invalid.length > 0) throw invalidValues(invalid)
  const roots = [...include, ...(select ?? []).map((path) => path.split('.', 1)[0])]
  return {
    includes: new Set(INCLUDES.filter((name) => roots.includes(name))),
    selection: select && [...new Set([...select, ...include])],
  }
}

/** The selected fields of a value; those of each item for a list. */
export function pick(value: unknown, paths: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => pick(item, paths))
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (paths.includes(name)) return [[name, inner]]
      const below = paths.filter((path) => path.startsWith(`${name}.`))
      const within = below.map((path) => path.slice(name.length + 1))
      return within.length === 0 ? [] : [[name, pick(inner, within)]]
    }),
  )
}

type Shape = { properties?: Record<string, Shape>; items?: Shape; anyOf?: Shape[] }

const pathsOf = ({ properties = {} }: Shape): string[] =>
  Object.entries(properties).flatMap(([name, inner]) => [
    name,
    ...pathsOf(inner.items ?? inner.anyOf?.[0] ?? inner).map((path) => `${name}.${path}`),
  ])

/** All dotted paths that `select` accepts. */
const PATHS = pathsOf(Passport as Shape)
