import { ServiceError } from '../domain/errors.ts'

/** The error for a database that another command must migrate first. */
export const outdatedSchemaError = (name: string, version: number, wanted: number) =>
  new ServiceError(
    'unavailable',
    `${name} has schema ${version} instead of ${wanted}: run "import" or "serve" to migrate it.`,
  )
