import { ServiceError } from '../domain/errors.ts'

/** A database that another command must migrate first. `version` is 0 if it has no tables yet. */
export class OutdatedSchemaError extends ServiceError {
  readonly version: number

  constructor(name: string, version: number, wanted: number) {
    super(
      'unavailable',
      `${name} has schema ${version} instead of ${wanted}: run "import" or "serve" to migrate it.`,
    )
    this.version = version
  }
}
