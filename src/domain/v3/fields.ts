import { findUnknown, invalidValues } from '../invalid-parameter.ts'
import { Passport } from './schemas.ts'

/** The parts of a passport that come with `include`. */
export const INCLUDES = ['credentials', 'standing', 'explanation'] as const

export type Include = (typeof INCLUDES)[number]

/** The fields of a response: the included parts, and the dotted paths of the selected fields if `select` was given. */
export type Fields = { includes: ReadonlySet<Include>; selection: readonly string[] | undefined }

type Given = { include?: readonly string[] | undefined; select?: readonly string[] | undefined }

/** Where a value was given: `include` or `select`, and its place in the list; without one, the list. */
export type PointerOf = (name: keyof Given, at?: number) => string

/** `select` of an included part includes it; `include` adds the part to `select`. Throws `invalid_request`. */
export function parseFields({ include = [], select }: Given, pointerOf: PointerOf): Fields {
  const invalid = [
    ...findUnknown('value of include', include, INCLUDES, (at) => pointerOf('include', at)),
    ...findUnknown('field', select ?? [], PATHS, (at) => pointerOf('select', at)),
  ]
  if (select?.length === 0)
    invalid.push({ pointer: pointerOf('select'), detail: 'The list select is empty.' })
  if (invalid.length > 0) throw invalidValues(invalid)
  const names = new Set([...(select ?? []), ...include])
  const roots = new Set([...names].map((path) => path.split('.', 1)[0]))
  return {
    includes: new Set(INCLUDES.filter((name) => roots.has(name))),
    selection: select && [...names],
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
