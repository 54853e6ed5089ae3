import Type, { type TProperties, type TSchema } from 'typebox'

/** An object without other members. */
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
