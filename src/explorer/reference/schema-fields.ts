import { type Html, html, prose } from '../design/html.ts'

type Schema = {
  type?: string
  format?: string
  description?: string
  const?: unknown
  enum?: readonly string[]
  items?: Schema
  anyOf?: Schema[]
  properties?: Record<string, Schema>
}

/** All fields of the schema; nested objects are indented. */
export function renderFields(schema: Schema): Html {
  const fields = fieldsOf(schema)
  if (fields.size === 0) return html``
  const rows = [...fields].map(
    ([name, field]) => html`<dt><code>${name}</code> <span class="soft">${typeName(field)}</span></dt>
<dd>${prose(field.description ?? '')}${renderFields(field)}</dd>`,
  )
  return html`<dl class="fields">${rows}</dl>`
}

/** The fields of an object, of the items of a list, or of all alternatives. */
function fieldsOf(schema: Schema): Map<string, Schema> {
  const { items, anyOf, properties = {} } = schema
  if (items) return fieldsOf(items)
  if (!anyOf) return new Map(Object.entries(properties))
  const all = anyOf.flatMap((each) => [...fieldsOf(each)])
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

function typeName(schema: Schema): string {
  const { type, format, items, anyOf, ...fixed } = schema
  const values = fixed.enum ?? (fixed.const === undefined ? undefined : [fixed.const])
  if (values) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (anyOf) return [...new Set(anyOf.map((each) => typeName(each)))].join(' or ')
  if (items) {
    const inner = typeName(items)
    return /^[a-z]+$/.test(inner) ? `list of ${inner}s` : `list of ${inner}`
  }
  return format === undefined ? (type ?? '') : `${type}, ${format}`
}
