import { quote } from './text/quote.ts'

/** What is wrong with one field of something that was handed in. */
export type Problem = { field: string; reason: string }

/** A complaint of the schema validator, as far as we read it. */
type SchemaError = { keyword: string; instancePath: string; params: object; message: string }
type Params = {
  requiredProperties?: string[]
  additionalProperties?: string[]
  allowedValues?: string[]
  type?: string
  limit?: number
}

/** The validator's complaints as one sentence a field: what it must be, and what was limits. */
export function describeProblems(value: unknown, errors: readonly SchemaError[]): Problem[] {
  const fields = Map.groupBy(errors, ({ instancePath }) => instancePath)
  return [...fields].flatMap(([path, complaints]) => describeField(value, path, complaints))
}

function describeField(value: unknown, path: string, complaints: SchemaError[]): Problem[] {
  const field = path.slice(1).replaceAll('/', '.')
  const below = (name: string) => (field === '' ? name : `${field}.${name}`)
  const types: string[] = []
  for (const { keyword, params, message } of complaints) {
    const limits: Params = params
    // An unknown field is complained of twice: at its parent, which names it, and at itself.
    if (keyword === 'boolean' || keyword === 'anyOf') continue
    if (limits.requiredProperties)
      return limits.requiredProperties.map((name) => ({ field: below(name), reason: 'is missing' }))
    if (limits.additionalProperties)
      return limits.additionalProperties.map((name) => ({
        field: below(name),
        reason: 'is not a known field',
      }))
    types.push(wanted(keyword, limits, message))
  }
  if (types.length === 0) return []
  return [{ field, reason: `must be ${listOf(types)}, got ${quote(valueAt(value, path))}` }]
}

function wanted(keyword: string, limits: Params, message: string): string {
  if (limits.allowedValues) return listOf(limits.allowedValues)
  if (keyword === 'type') return limits.type === 'null' ? 'null' : article(limits.type ?? '')
  if (keyword === 'minLength' && limits.limit === 1) return 'a string that is not empty'
  if (keyword === 'maxLength') return `at most ${limits.limit} characters long`
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
