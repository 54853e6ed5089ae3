import { ServiceError } from '../domain/errors.ts'

/** Of a database that has to be brought up to date first, by a command that may do so. */
export const outdatedSchemaError = (name: string, version: number, wanted: number) =>
  new ServiceError(
    'unavailable',
    `${name} has schema ${version} instead of ${wanted}: run "import" or "serve" to migrate it.`,
  )
