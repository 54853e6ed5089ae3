/** Where the data lies: a SQLite file, or a PostgreSQL server with, perhaps, a replica for reading. */
export type DatabaseAddress =
  | { engine: 'sqlite'; path: string }
  | { engine: 'postgres'; url: string; readUrl?: string }

export const DATABASE_EXAMPLES = 'sqlite:data/passportd.db or postgres://user:password@host/database'

export function parseDatabaseAddress(text: string): DatabaseAddress | undefined {
  const url = parsePostgresUrl(text)
  if (url !== undefined) return { engine: 'postgres', url }
  // A URL of three slashes is an absolute path; with two it would name a host. SQLite's own
  // options are not read, and several connections share the file: one in memory would be another for each.
  const path = /^sqlite:(?:\/\/(?=\/))?((?!\/\/|~|file:|\s*:memory:)[^?]+)$/.exec(text)?.[1]
  return path === undefined ? undefined : { engine: 'sqlite', path }
}

export function parsePostgresUrl(text: string): string | undefined {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text) ? text : undefined
}

/** How messages call it: never with user, password or options. */
export const nameDatabase = (address: DatabaseAddress): string =>
  address.engine === 'sqlite' ? address.path : namePostgres(address.url)

export function namePostgres(text: string): string {
  const { host, pathname } = new URL(text)
  return `postgres://${host}${pathname}`
}
