import Type, { type TProperties, type TSchema } from 'typebox'

/** Returns an object schema that rejects all other members. */
export const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })

export const describedObject = <Properties extends TProperties>(
  description: string,
  properties: Properties,
) => Type.Object(properties, { additionalProperties: false, description })

export const orNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

export const score = (description: string) => Type.Number({ description, minimum: 0 })

export const instant = (description: string) => Type.String({ description, format: 'date-time' })

type Shape = {
  required?: string[]
  properties?: Record<string, TSchema>
  items?: TSchema
  anyOf?: TSchema[]
}

/** Makes all fields optional, also those of nested objects. */
export function withOptionalFields(schema: TSchema): TSchema {
  const { required: _, properties, items, anyOf, ...rest } = schema as Shape
  const inner = Object.entries(properties ?? {}).map(([name, property]) => [
    name,
    withOptionalFields(property),
  ])
  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(inner) }),
    ...(items && { items: withOptionalFields(items) }),
    ...(anyOf && { anyOf: anyOf.map(withOptionalFields) }),
  }
}
