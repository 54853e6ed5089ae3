import { ServiceError, unavailable } from '../../basics/errors.ts'

/** `true` migrates any older database, `'new'` only creates the tables of an empty one, `false` changes nothing. */
export type MigrationMode = boolean | 'new'

/** Migrations in order. The first one creates schema number `first`, which version 0.2.1 used. */
export type Migrations = { first: number; steps: readonly string[] }

/** The schema after all migrations. */
export const lastSchema = ({ first, steps }: Migrations): number => first + steps.length - 1

/** The migrations that a database still needs. The `version` of a database without tables is 0. */
export const pendingSteps = ({ first, steps }: Migrations, version: number): readonly string[] =>
  version === 0 ? steps : steps.slice(version - first + 1)

export type OnNotice = ((sentence: string) => void) | undefined

/** Throws if this program can neither use nor migrate a database with this schema. */
export function checkSchema(name: string, version: number, migrations: Migrations): void {
  const last = lastSchema(migrations)
  if (version > last) {
    throw unavailable(
      `${name} was written by a newer passportd (schema ${version}, this one knows ${last}): run the newer one.`,
    )
  }
  if (version > 0 && version < migrations.first) {
    throw unavailable(
      `${name} has schema ${version}, which is older than that of version 0.2.1: open it once with version 0.2.1 ("passportd migrate"), then with this version.`,
    )
  }
}

/** The error for a database that is missing or has no tables yet. */
export class NewDatabaseError extends ServiceError {
  constructor(message: string) {
    super('unavailable', message)
  }
}

/** The error for a database that another command must migrate first. Without tables, `version` is 0. */
export const outdatedSchema = (name: string, version: number, wanted: number): ServiceError =>
  version === 0
    ? new NewDatabaseError(`${name} has no tables yet: "serve", "import", "mirror" or "copy" creates them.`)
    : unavailable(
        `${name} has schema ${version}, but this version needs ${wanted}: make a backup, then run "passportd migrate".`,
      )
