import { ServiceError } from '../domain/errors.ts'

/** `true` migrates any older database, `'new'` only creates the tables of an empty one, `false` does neither. */
export type MigrationMode = boolean | 'new'

/** The error for a database that another command must migrate first. `version` is 0 if it has no tables yet. */
export class OutdatedSchemaError extends ServiceError {
  readonly version: number

  constructor(name: string, version: number, wanted: number) {
    super(
      'unavailable',
      version === 0
        ? `${name} has no tables yet: "serve", "import", "mirror" or "copy" creates them.`
        : `${name} has schema ${version}, but this version needs ${wanted}: make a backup, then run "passportd migrate".`,
    )
    this.version = version
  }
}
