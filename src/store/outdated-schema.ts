import { ServiceError } from '../domain/errors.ts'

/** Of a database that has to be brought up to date first, by a command that may do so. */
export const outdatedSchemaError = (name: string, version: number, wanted: number) =>
  new ServiceError(
    'unavailable',
    `${name} is not up to date (schema ${version}, not ${wanted}): "import" or "serve" brings it there.`,
  )
