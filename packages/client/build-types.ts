/** Prints src/types.ts with types in place of schemas, so that the package needs no dependency. `npm pack` runs it. */

import * as v3 from '../../src/core/api/schemas.ts'
import { STATUS_OF } from '../../src/core/basics/errors.ts'
import * as data from '../../src/core/history/event-data.ts'
import * as events from '../../src/core/history/event-schema.ts'
import * as lists from '../../src/core/lists/list-request.ts'
import * as passports from '../../src/core/passport/wire-schemas.ts'
import * as lookups from '../../src/features/passports/schemas.ts'
import * as writes from '../../src/features/records/schemas.ts'
import * as subscriptions from '../../src/features/webhooks/schemas.ts'

/** The part of JSON Schema that the API uses. */
type Schema = {
  type?: string
  description?: string
  const?: string
  enum?: string[]
  anyOf?: Schema[]
  items?: Schema
  maxItems?: number
  minItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
}

const MODULES: Record<string, object> = { passports, v3, lookups, events, data, writes, subscriptions }
const schemaAt = (module = '', name = ''): Schema =>
  (MODULES[module] as Record<string, Schema>)[name] as Schema

const LISTS = lists as unknown as Record<string, string[]>

const source = await Bun.file(`${import.meta.dir}/src/types.ts`).text()
const NAMED = /^export type (\w+) = Static<typeof (\w+)\.(\w+)>$/gm
const names = new Map(
  [...source.matchAll(NAMED)].map(([, alias, module, name]) => [
    JSON.stringify(schemaAt(module, name)),
    alias as string,
  ]),
)

function toType(schema: Schema): string {
  const { type, enum: values, anyOf, items, properties, patternProperties } = schema
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (anyOf) return anyOf.map(toReference).join(' | ')
  if (items) {
    const item = toReference(items)
    return schema.minItems === 2 && schema.maxItems === 2 ? `[${item}, ${item}]` : `(${item})[]`
  }
  if (patternProperties)
    return `Record<string, ${Object.values(patternProperties).map(toReference).join(' | ')}>`
  if (properties) return toObject(properties, schema.required ?? [])
  return type === 'integer' ? 'number' : (type ?? 'unknown')
}

const toReference = (schema: Schema): string => names.get(JSON.stringify(schema)) ?? toType(schema)

function toObject(properties: Record<string, Schema>, required: readonly string[]): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description ? `/** ${schema.description} */ ` : ''
    return `${comment}${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${toReference(schema)}`
  })
  return fields.length === 0 ? 'object' : `{\n${fields.join('\n')}\n}`
}

const types = source
  .replaceAll(/^import .*\n/gm, '')
  .replace('keyof typeof errors.STATUS_OF', toType({ enum: Object.keys(STATUS_OF) }))
  .replaceAll(/Static<typeof (\w+)\.(\w+)>/g, (_, module, name) => toType(schemaAt(module, name)))
  .replaceAll(/\(typeof lists\.(\w+)\)\[number\]/g, (_, name) => toType({ enum: LISTS[name] ?? [] }))
process.stdout.write(types)
