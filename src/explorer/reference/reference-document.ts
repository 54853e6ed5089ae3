/** The parts of an OpenAPI document that the reference page shows. */
export type ReferenceDocument = {
  info: { title: string; version: string; description: string }
  paths: Record<string, PathItem>
  components: { schemas: Record<string, unknown> }
}

export type PathItem = { parameters?: readonly unknown[]; get: unknown }

export type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters?: (Parameter | { $ref: string })[]
  responses: Record<
    string,
    { description: string; content?: Record<string, { schema: Schema; example?: unknown }> }
  >
}

export type Parameter = {
  name: string
  in: 'query' | 'path' | 'header'
  description: string
  required?: boolean
  schema: Schema
  example?: string
}

export type Schema = {
  $ref?: string
  type?: string
  format?: string
  description?: string
  default?: unknown
  items?: Schema
  properties?: Record<string, Schema>
}

/** The schema a reference names, or the schema itself, with the name it goes by. */
export function resolveSchema(document: ReferenceDocument, schema: Schema): Schema & { name?: string } {
  const name = schema.$ref?.split('/').at(-1)
  if (name === undefined) return schema
  return { ...(document.components.schemas[name] as Schema), name }
}
