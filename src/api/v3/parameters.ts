import type { InvalidValue } from '../../domain/errors.ts'
import { describeUnknown } from '../../domain/text/nearest-name.ts'
import { quote } from '../../domain/text/quote.ts'
import { invalidValues, MOST_INVALID } from '../../domain/v3/invalid.ts'
import { queryOf } from '../request.ts'

const LONGEST_POINTER = 60

/** The parameters of V1 that have another name in v3. */
const V1_NAMES: Readonly<Record<string, string>> = { keyword: 'q', page: 'cursor', per_page: 'limit' }

/** The query parameters by name. Throws `invalid_request` if one is unknown or repeated. */
export function parametersOf<Name extends string>(
  request: Request,
  known: readonly Name[],
): Partial<Record<Name, string>> {
  const query = queryOf(request)
  const invalid: InvalidValue[] = []
  for (const name of new Set(query.keys())) {
    if (invalid.length === MOST_INVALID) break
    const pointer = `?${name.slice(0, LONGEST_POINTER)}`
    if (!known.includes(name as Name)) {
      invalid.push({ pointer, detail: describeParameter(name, known) })
    } else if (query.getAll(name).length > 1) {
      invalid.push({ pointer, detail: `${name} may be given once, got ${query.getAll(name).length} values.` })
    }
  }
  if (invalid.length > 0) throw invalidValues(invalid)
  return Object.fromEntries(query) as Partial<Record<Name, string>>
}

function describeParameter(name: string, known: readonly string[]): string {
  const successor = Object.hasOwn(V1_NAMES, name) ? (V1_NAMES[name] ?? '') : ''
  if (!known.includes(successor)) return describeUnknown('parameter', name, known)
  return `${quote(name)} is a parameter of V1: use ${successor}.`
}
