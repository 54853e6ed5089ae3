/** The database to use: a SQLite file, or a PostgreSQL server with an optional read replica. */
export type DatabaseAddress =
  | { engine: 'sqlite'; path: string }
  | { engine: 'postgres'; url: string; readUrl?: string }

export const DATABASE_EXAMPLES = 'sqlite:data/passportd.db or postgres://user:password@host/database'

export function parseDatabaseAddress(text: string): DatabaseAddress | undefined {
  const url = parsePostgresUrl(text)
  if (url !== undefined) return { engine: 'postgres', url }
  // Three slashes begin an absolute path; two would begin a host. SQLite URI options are not supported.
  // Several connections share the file: a database in memory would be a different one for each.
  const path = /^sqlite:(?:\/\/(?=\/))?((?!\/\/|~|file:|\s*:memory:)[^?]+)$/.exec(text)?.[1]
  return path === undefined ? undefined : { engine: 'sqlite', path }
}

export function parsePostgresUrl(text: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text) || !isDecodable(text)) return undefined
  const url = URL.parse(text)
  // With an unescaped /, ? or # in the password, URL.parse takes the start of the password for the host.
  return url && (url.username !== '' || !text.includes('@')) ? text : undefined
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** For messages about an invalid address: hides everything before the last @, and the parameter `password`. */
export const hidePassword = (text: string): string =>
  text.replace(/^(\w*:?\/*).*@/s, '$1…@').replace(/(password\s*=\s*)('[^']*'|[^&\s]*)/gi, '$1…')

/** The name in messages, without user, password and options. */
export const nameDatabase = (address: DatabaseAddress): string =>
  address.engine === 'sqlite' ? address.path : namePostgres(address.url)

export function namePostgres(text: string): string {
  const { host, pathname } = new URL(text)
  return `postgres://${host}${pathname}`
}
