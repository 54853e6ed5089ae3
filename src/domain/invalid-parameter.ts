import { type InvalidValue, ServiceError } from './errors.ts'
import { describeUnknown } from './text/nearest-name.ts'
import { quote } from './text/quote.ts'

/** A 400 with all invalid values; its sentence is the first. */
export function invalidValues(values: readonly InvalidValue[]): ServiceError {
  return new ServiceError('invalid_request', values[0]?.detail ?? '', {
    invalid: values.slice(0, MOST_INVALID),
  })
}

/** Further ones are not reported. */
export const MOST_INVALID = 20

export const LONGEST_POINTER = 60

/** The JSON Pointer to a member of the body, or to an entry of its list, as a URI fragment. For a long name it is that of the body. */
export function pointerTo(name: string, at?: number): string {
  if (name.length > LONGEST_POINTER || !name.isWellFormed()) return '#'
  const member = encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
  return at === undefined ? `#/${member}` : `#/${member}/${at}`
}

export const invalidParameter = (name: string, detail: string): ServiceError =>
  invalidValues([{ pointer: `?${name}`, detail }])

/** The names that are not known, each once. Only the first has a suggestion: comparing a name with all known ones takes time. */
export function findUnknown(
  noun: string,
  names: readonly string[],
  known: readonly string[],
  pointerOf: (at: number) => string,
): InvalidValue[] {
  const unknown = new Map<string, InvalidValue>()
  for (const [at, name] of names.entries()) {
    if (unknown.has(name) || known.includes(name)) continue
    const detail =
      unknown.size === 0 ? describeUnknown(noun, name, known) : `${quote(name)} is not a known ${noun}.`
    unknown.set(name, { pointer: pointerOf(at), detail })
    if (unknown.size === MOST_INVALID) break
  }
  return [...unknown.values()]
}
