import type { InvalidValue } from '../errors.ts'
import { describeUnknown } from '../text/nearest-name.ts'
import { invalidValues, MOST_INVALID } from './invalid.ts'
import { Passport } from './schemas.ts'

/** The parts of a passport that come with `include`. */
export const INCLUDES = ['credentials', 'standing', 'explanation'] as const

export type Include = (typeof INCLUDES)[number]

/** The fields of a response: the included parts, and the selected fields if `select` was given. */
export type Fields = { includes: ReadonlySet<Include>; selection: Selection | undefined }

/** `true` selects the whole value. */
export type Selection = ReadonlyMap<string, Selection | true>

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
    selection: select && toSelection([...select, ...include]),
  }
}

function toSelection(paths: readonly string[]): Selection {
  const root = new Map<string, Selection | true>()
  for (const path of paths) {
    const steps = path.split('.')
    const last = steps.pop() ?? ''
    let inner: Map<string, Selection | true> | true = root
    for (const step of steps) {
      if (inner === true) break
      const next: Selection | true = inner.get(step) ?? new Map()
      inner.set(step, next)
      inner = next as Map<string, Selection | true> | true
    }
    if (inner !== true) inner.set(last, true)
  }
  return root
}

/** The selected fields of a value; those of each item for a list. */
export function pick(value: unknown, selection: Selection | true): unknown {
  if (selection === true || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => pick(item, selection))
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const wanted = selection.get(name)
      return wanted === undefined ? [] : [[name, pick(inner, wanted)]]
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
