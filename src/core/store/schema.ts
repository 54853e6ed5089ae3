import { ServiceError, unavailable } from '../basics/errors.ts'
import { EMPTY_HEAD } from '../history/hash-chain.ts'
import tables from './schema.sql' with { type: 'text' }
import type { Query } from './sql/connection.ts'

export const SCHEMA = 22

/** `true` migrates any older database, `'new'` only creates the tables of an empty one, `false` changes nothing. */
export type MigrationMode = boolean | 'new'

export type OnNotice = ((sentence: string) => void) | undefined

/** The older schemas that can be migrated: those from version 0.2.1 to the last development version. */
const OLD_SCHEMAS = { sqlite: { first: 14, last: 17 }, postgres: { first: 9, last: 12 } }

/** The statements that create the tables. They have words of `sql/words.ts`. */
export const TABLES: string = tables

export const createLog = (query: Query) =>
  query(
    `insert into event_log (one, name, first, last, time, known_since, base, head, head_at)
     values (1, $1, 1, 0, 0, NOW, $2, $2, 0)`,
    [newLogName(), EMPTY_HEAD],
  )

export const newLogName = (): string => crypto.getRandomValues(new Uint8Array(3)).toHex()

/** Throws if this program can neither use nor migrate a database with this schema. */
export function checkSchema(name: string, version: number, engine: keyof typeof OLD_SCHEMAS): void {
  const { first, last } = OLD_SCHEMAS[engine]
  if (version === 0 || version === SCHEMA || (version >= first && version <= last)) return
  const [has, release] = [`${name} has schema ${version}`, 'version 0.2.1']
  if (version > SCHEMA)
    throw unavailable(
      `${name} was written by a newer passportd (schema ${version}, this one knows ${SCHEMA}): run the newer one.`,
    )
  throw unavailable(
    version < first
      ? `${has}, which is older than that of ${release}: open it once with ${release} ("passportd migrate"), then with this version.`
      : `${has}, which no release had: restore a backup with the schema of ${release}.`,
  )
}

/** Says when a migration begins, and every few seconds how far it is. */
export function createReport(name: string, version: number, onNotice: OnNotice = () => undefined) {
  const migrating = `Migrating ${name} from schema ${version} to ${SCHEMA}`
  onNotice(`${migrating}: a large database takes minutes.`)
  let last = performance.now()
  return (share: number) => {
    if (performance.now() - last < REPORT_MILLISECONDS) return
    last = performance.now()
    onNotice(`${migrating}: ${Math.floor(share * 100)} %.`)
  }
}

const REPORT_MILLISECONDS = 5000

/** The error for a database that is missing or has no tables yet. */
export class NewDatabaseError extends ServiceError {
  constructor(message: string) {
    super('unavailable', message)
  }
}

/** The error for a database without tables that a command must not create. */
export const lacksTables = (name: string): ServiceError =>
  new NewDatabaseError(`${name} has no tables yet: "serve", "import", "mirror" or "copy" creates them.`)

/** The error for a database that must be migrated first. */
export class OutdatedError extends ServiceError {
  readonly version: number

  constructor(name: string, version: number) {
    super(
      'unavailable',
      `${name} has schema ${version}, but this version needs ${SCHEMA}: make a backup, then run "passportd migrate".`,
    )
    this.version = version
  }
}
