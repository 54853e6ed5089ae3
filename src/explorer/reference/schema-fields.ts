import { type Html, html, prose } from '../html.ts'
import type { ReferenceDocument, Schema } from './document.ts'

/** All fields of the schema; nested objects are indented. */
export function renderFields(document: ReferenceDocument, schema: Schema): Html {
  const fields = fieldsOf(document, schema)
  if (fields.size === 0) return html``
  const rows = [...fields].map(([name, field]) => {
    const whole = resolveSchema(document, field)
    return html`<dt><code>${name}</code> <span class="soft">${typeName(document, whole)}</span></dt>
<dd>${prose(whole.description ?? '')}${renderFields(document, whole)}</dd>`
  })
  return html`<dl class="fields">${rows}</dl>`
}

/** The fields of an object, of the items of a list, or of all alternatives. */
function fieldsOf(document: ReferenceDocument, schema: Schema): Map<string, Schema> {
  const { items, anyOf, properties = {} } = resolveSchema(document, schema)
  if (items) return fieldsOf(document, items)
  if (!anyOf) return new Map(Object.entries(properties))
  const all = anyOf.flatMap((each) => [...fieldsOf(document, each)])
  return new Map(
    [...Map.groupBy(all, ([name]) => name)].map(([name, same]) => [
      name,
      mergeSchemas(same.map(([, field]) => field)),
    ]),
  )
}

function mergeSchemas(schemas: readonly Schema[]): Schema {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  return distinct.length === 1 ? (distinct[0] as Schema) : { anyOf: distinct }
}

function typeName(document: ReferenceDocument, schema: Schema): string {
  const { type, format, items, prefixItems, anyOf, ...fixed } = resolveSchema(document, schema)
  const values = fixed.enum ?? (fixed.const === undefined ? undefined : [fixed.const])
  if (values) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (anyOf) return [...new Set(anyOf.map((each) => typeName(document, each)))].join(' or ')
  if (prefixItems) return `[${prefixItems.map((each) => typeName(document, each)).join(', ')}]`
  if (items) {
    const inner = typeName(document, items)
    return /^[a-z]+$/.test(inner) ? `list of ${inner}s` : `list of ${inner}`
  }
  return format === undefined ? (type ?? '') : `${type}, ${format}`
}

function resolveSchema(document: ReferenceDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (document.components.schemas[name] as Schema)
}
