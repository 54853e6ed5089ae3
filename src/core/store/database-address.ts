/** The database to use: a SQLite file, or a PostgreSQL server with an optional replica for long reads. */
export type DatabaseAddress =
  | { engine: 'sqlite'; path: string }
  | {
      engine: 'postgres'
      url: string
      readUrl?: string
    }

export const DATABASE_EXAMPLES = 'sqlite:data/passportd.db or postgres://user:password@host/database'

export function parseDatabaseAddress(text: string): DatabaseAddress | undefined {
  const url = parsePostgresUrl(text)
  if (url !== undefined) return { engine: 'postgres', url }
  // Three slashes begin an absolute path; two would begin a host. SQLite URI options are not supported.
  // A database in memory is refused, because each connection would have its own.
  const path = /^sqlite:(?:\/\/(?=\/))?((?!\/\/|~|file:|\s*:memory:)[^?]+)$/.exec(text)?.[1]
  return path === undefined ? undefined : { engine: 'sqlite', path }
}

export function parsePostgresUrl(text: string): string | undefined {
  if (!/^postgres(ql)?:\/\/(?!.*:\/\/)/.test(text) || !isDecodable(text)) return undefined
  const isValid = splitHosts(text).every((host) => {
    const url = URL.parse(host)
    // If the password has an unescaped /, ? or #, URL.parse mistakes the start of the password for the host.
    return url && (url.username !== '' || !text.includes('@'))
  })
  return isValid ? text : undefined
}

/** One URL for each host of an address with several, such as `postgres://user:password@host1,host2:5433/database`. */
export function splitHosts(text: string): string[] {
  const [, start = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text) ?? []
  // target_session_attrs is not needed: hosts are tried in order, and the first one that accepts writes is used.
  const options = rest
    .replace(/([?&])target_session_attrs=(?:read-write|primary|any)(?:&|$)/, '$1')
    .replace(/[?&]$/, '')
  return hosts.split(',').map((host) => start + host + options)
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    // decodeURIComponent throws on a malformed escape sequence.
    return false
  }
}

/** For messages about an invalid address: hides everything before the last @, and the parameter `password`. */
export const hidePassword = (text: string): string =>
  text.replace(/^(\w*:?\/*).*@/s, '$1…@').replace(/(password\s*=\s*)('[^']*'|[^&\s]*)/gi, '$1…')

export const nameDatabase = (address: DatabaseAddress): string =>
  address.engine === 'sqlite' ? address.path : namePostgres(address.url)

export function namePostgres(text: string): string {
  const urls = splitHosts(text).map((host) => new URL(host))
  return `postgres://${urls.map(({ host }) => host).join()}${urls[0]?.pathname ?? ''}`
}
