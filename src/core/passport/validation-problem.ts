import { quote } from '../basics/text/quote.ts'

export type Problem = { field: string; reason: string }

type SchemaError = { keyword: string; instancePath: string; params: object; message: string }
type Params = {
  requiredProperties?: string[]
  additionalProperties?: string[]
  allowedValues?: string[]
  type?: string
  limit?: number
}

/** Turns the errors of the validator into one sentence per field: what is accepted and what was received. */
export function describeProblems(value: unknown, errors: readonly SchemaError[]): Problem[] {
  const fields = Map.groupBy(errors, ({ instancePath }) => instancePath)
  return [...fields].flatMap(([path, fieldErrors]) => describeField(value, path, fieldErrors))
}

function describeField(value: unknown, path: string, fieldErrors: SchemaError[]): Problem[] {
  const field = path.slice(1).replaceAll('/', '.')
  const below = (names: readonly string[], reason: string) =>
    names.map((name) => ({ field: field === '' ? name : `${field}.${name}`, reason }))
  const types: string[] = []
  for (const { keyword, params, message } of fieldErrors) {
    const details: Params = params
    // Skips `boolean`, the error at an unknown field: the validator reports the field again, by name, at its parent.
    if (keyword === 'boolean' || keyword === 'anyOf') continue
    if (details.requiredProperties) return below(details.requiredProperties, 'is missing')
    if (details.additionalProperties) return below(details.additionalProperties, 'is not a known field')
    types.push(wanted(keyword, details, message))
  }
  if (types.length === 0) return []
  return [{ field, reason: `must be ${listOf(types)}, got ${quote(valueAt(value, path))}` }]
}

function wanted(keyword: string, details: Params, message: string): string {
  if (details.allowedValues) return listOf(details.allowedValues)
  if (keyword === 'type') return details.type === 'null' ? 'null' : article(details.type ?? '')
  if (keyword === 'minLength' && details.limit === 1) return 'a string that is not empty'
  if (keyword === 'minItems' && details.limit === 1) return 'a list that is not empty'
  if (keyword === 'minProperties') return 'an object that is not empty'
  if (keyword === 'maxItems') return `a list of at most ${details.limit} entries`
  if (keyword === 'format') return 'a valid URL'
  if (keyword === 'pattern') return message.replace('must match pattern', 'a text that matches')
  if (keyword === 'maxLength') return `at most ${details.limit} characters long`
  return message
    .replace(/^must (be|match|have|not have) ?/, '')
    .replace('>=', 'at least')
    .replace('<=', 'at most')
}

const article = (noun: string) => `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`

const listOf = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

function valueAt(value: unknown, path: string): unknown {
  const steps = path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return steps.reduce<unknown>((inner, step) => (inner as Record<string, unknown> | undefined)?.[step], value)
}
