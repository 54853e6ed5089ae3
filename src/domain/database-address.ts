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
  if (!/^postgres(ql)?:\/\//.test(text) || !isDecodable(text)) return undefined
  const url = URL.parse(text)
  // An @ that ends no user belongs to a password with a bare / or ? or #: its first half would pass for the host.
  return url && (url.username !== '' || !text.includes('@')) ? text : undefined
}

/** Whether each % begins an escaped character. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/**
 * For an address that will not do: all that stands before the last @ is left out, since a password may hold any
 * character, and one that is given by name.
 */
export const hidePassword = (text: string): string =>
  text.replace(/^(\w*:?\/*).*@/s, '$1…@').replace(/(password\s*=\s*)('[^']*'|[^&\s]*)/gi, '$1…')

/** How messages call it: never with user, password or options. */
export const nameDatabase = (address: DatabaseAddress): string =>
  address.engine === 'sqlite' ? address.path : namePostgres(address.url)

export function namePostgres(text: string): string {
  const { host, pathname } = new URL(text)
  return `postgres://${host}${pathname}`
}
