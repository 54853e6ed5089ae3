import { DEFAULT_TIERS, parseTiers, TIERS_EXAMPLE } from '../domain/rate-limit-tier.ts'
import { parseDuration } from '../domain/text/duration.ts'
import { parseInstant } from '../domain/text/instant.ts'
import { parseWebAddress } from '../domain/url.ts'
import { tlsProblems } from './check-tls-files.ts'
import {
  DATABASE_EXAMPLES,
  type DatabaseAddress,
  hidePassword,
  parseDatabaseAddress,
  parsePostgresUrls,
} from './database-address.ts'
import { misspeltSettings } from './misspelt-settings.ts'
import { type Environment, readText, SECRETS } from './secrets.ts'
import {
  orNone,
  parseFlag,
  parseHistory,
  parseHost,
  parseLogLevel,
  parsePort,
  parseProxies,
  parsePublicUrl,
  parseRedisUrl,
  whole,
} from './setting-parsers.ts'
import { DEFAULT_SITE, parseAccent, parseContact, parseSiteName, type SiteSettings } from './site.ts'

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** `initial` is the default as the help shows it. `accepts` completes "PORT must be ...". `parse` returns undefined for an invalid value. */
function define<T>(about: string, initial: string, accepts: string, parse: (text: string) => T | undefined) {
  return { about, initial, accepts, parse }
}

const optional = <T>(about: string, accepts: string, parse: (text: string) => T | undefined) =>
  define(about, 'none', accepts, parse)
const flag = (about: string, initial = 'false') => define(about, initial, 'true or false', parseFlag)
const port = (about: string, initial: string) => define(about, initial, 'a port from 0 to 65535', parsePort)
const host = (about: string) => define(about, '127.0.0.1', 'a host name or address', parseHost)
const database = (about: string, initial = 'none') =>
  define(about, initial, `a URL such as ${DATABASE_EXAMPLES}`, parseDatabaseAddress)
const anyText = (about: string, initial = 'none') => define(about, initial, 'a text', (text) => text)

/** The help and the check for misspelt names use this table. docs/operate.md has the same settings and order. */
export const SETTINGS = {
  PORT: port('port to listen on; 0 takes any free port', '8080'),
  HOST: host('address to listen on; 0.0.0.0 for all'),
  DATABASE_URL: database(
    'database to use, or postgres://user:password@host/database',
    'sqlite:data/passportd.db',
  ),
  DATABASE_READ_URL: optional(
    'PostgreSQL replicas for reads, separated by commas',
    'the URLs of replicas, such as postgres://user:password@host/database',
    parsePostgresUrls,
  ),
  REPLICA_MAX_LAG: define(
    'seconds behind the primary above which a replica is not read',
    '5',
    'a whole number of seconds from 1 to 3600',
    whole(1, 3600),
  ),
  REQUIRE_API_KEY: flag('refuse clients without a key'),
  EXPLORER: flag('show passports to people in a browser', 'on, unless a key is required'),
  COMPAT_V2: flag('serve /api/v2 as well as /api/v1', 'true'),
  PUBLIC_URL: define(
    'public base URL, for shared links',
    'as requested',
    'the URL of the service, such as https://passports.example.com',
    parsePublicUrl,
  ),
  SITE_NAME: define(
    'name of the service on its pages and cards',
    DEFAULT_SITE.name,
    'a name of at most 40 characters',
    parseSiteName,
  ),
  SITE_CONTACT: optional(
    'email address or page for questions and removals, linked on every page',
    'an email address or a URL such as https://example.com/contact',
    parseContact,
  ),
  SITE_PRIVACY_URL: optional(
    'privacy policy, linked on every page',
    'a URL such as https://example.com/privacy',
    parseWebAddress,
  ),
  SITE_ACCENT: define(
    'colour of links, badges and cards',
    'green',
    'a colour such as #1d6552 that is dark enough for text on a light page (contrast of at least 4.5:1)',
    parseAccent,
  ),
  SITE_FONTS: anyText('folder with fonts for names on cards, such as Arabic or Chinese ones'),
  SITE_INDEX: flag('let search engines list the pages', 'true'),
  TIERS: define(
    'rate limits of clients, such as partner=20000/10s',
    'built-in tiers',
    `tiers such as ${TIERS_EXAMPLE}, each of 1 to 1000000 requests in 1s to 24h`,
    parseTiers,
  ),
  TRUST_PROXY: optional(
    'proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8',
    'addresses or blocks of proxies, such as 10.0.0.0/8, 127.0.0.1',
    parseProxies,
  ),
  REDIS_URL: optional(
    'Redis that counts limits for all nodes',
    'a URL such as redis://host:6379',
    parseRedisUrl,
  ),
  METRICS_PORT: port('port for Prometheus /metrics; 0 takes any free port', 'off'),
  METRICS_HOST: host('address for /metrics'),
  LOG_LEVEL: define(
    'least important entries to log: info, warn or error',
    'info',
    'info, warn or error',
    parseLogLevel,
  ),
  LOG_REQUESTS: flag('log an entry for each request, as info'),
  DEPRECATED_AT: define(
    'start of the deprecation of V1; none if it is not deprecated',
    '2025-03-31',
    'none, or a date such as 2025-03-31 or 2025-03-31T00:00:00Z',
    orNone(parseInstant),
  ),
  RULES: anyText('file with your own rule set', 'built-in rule set'),
  MIRROR_KEY: anyText('key for the service that "mirror" copies'),
  COPY_FROM_URL: database('database that "copy" reads'),
  COPY_TO_URL: database('database that "copy" writes'),
  USAGE_DAYS: define(
    'days after which usage counts are deleted',
    'kept',
    'a whole number of days from 31 to 36500',
    whole(31, 36_500),
  ),
  HISTORY: define(
    'days after which events are deleted, or forever',
    'forever',
    'forever, or a whole number of days from 1 to 36500',
    parseHistory,
  ),
  BACKUP_DIR: anyText('folder for scheduled backups of a SQLite database'),
  BACKUP_EVERY: define(
    'time between scheduled backups',
    '24h',
    'a duration of at least 1s, such as 6h or 1d12h',
    (text) => parseDuration(text) || undefined,
  ),
  BACKUP_KEEP: define('scheduled backups to keep', '7', 'a whole number from 1 to 10000', whole(1, 10_000)),
  WEBHOOK_ALLOW_PRIVATE: flag('let webhooks use http and addresses of private networks'),
  TLS_CERT: anyText('PEM file with the certificate; with TLS_KEY, serves HTTPS and HTTP/2'),
  TLS_KEY: anyText('PEM file with the private key of the certificate'),
  HTTP3: flag('serve HTTP/3 on the same port as well; needs TLS'),
}

type SettingName = keyof typeof SETTINGS
type ValueOf<Name extends SettingName> = Exclude<ReturnType<(typeof SETTINGS)[Name]['parse']>, undefined>

type Options = {
  demo?: boolean | undefined
  /** Whether misspelt settings are errors. True by default, so that no command uses the wrong database. */
  checkNames?: boolean
}

export type Config = ReturnType<typeof readConfig>

/** Throws one `ConfigError` with every problem of `env`. */
export function readConfig(env: Environment, { demo = false, checkNames = true }: Options) {
  const problems = checkNames ? misspeltSettings(env, NAMES) : []
  const read = createReader(env, problems)
  const address = { host: read('HOST') ?? '127.0.0.1', port: read('PORT') ?? 8080 }
  const requireKey = read('REQUIRE_API_KEY') ?? false
  const deprecatedAt = read('DEPRECATED_AT')
  const site: SiteSettings = {
    name: read('SITE_NAME') ?? DEFAULT_SITE.name,
    contact: read('SITE_CONTACT'),
    privacyUrl: read('SITE_PRIVACY_URL'),
    accent: read('SITE_ACCENT'),
    index: read('SITE_INDEX') ?? DEFAULT_SITE.index,
  }
  const database = readDatabase(read, problems, demo)
  const logLevel = read('LOG_LEVEL') ?? 'info'
  const config = {
    ...address,
    database,
    requireKey,
    // The explorer must not bypass REQUIRE_API_KEY by default.
    explorer: read('EXPLORER') ?? !requireKey,
    compatV2: read('COMPAT_V2') ?? true,
    publicUrl: read('PUBLIC_URL'),
    site,
    fonts: read('SITE_FONTS'),
    /** Epoch milliseconds; undefined if V1 is not deprecated. */
    deprecatedAt: deprecatedAt === null ? undefined : (deprecatedAt ?? Date.UTC(2025, 2, 31)),
    tiers: read('TIERS') ?? DEFAULT_TIERS,
    trustedProxies: read('TRUST_PROXY') ?? [],
    logLevel,
    logRequests: read('LOG_REQUESTS') === true && logLevel === 'info',
    metrics: readMetrics(read, problems, address),
    redisUrl: read('REDIS_URL'),
    rules: read('RULES'),
    mirrorKey: read('MIRROR_KEY'),
    copyFrom: read('COPY_FROM_URL'),
    copyTo: read('COPY_TO_URL'),
    /** Usage counts are kept for this many days. */
    usageDays: read('USAGE_DAYS'),
    /** Events are kept for this many days; infinite for `forever`. */
    historyDays: read('HISTORY'),
    backups: readBackups(read, problems, database),
    webhookAllowPrivate: read('WEBHOOK_ALLOW_PRIVATE') ?? false,
    tls: readTls(read, problems),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

type Read = <Name extends SettingName>(name: Name) => ValueOf<Name> | undefined

/** Returns a function that reads one setting. An invalid value adds a sentence to `problems`. */
function createReader(env: Environment, problems: string[]): Read {
  return <Name extends SettingName>(name: Name) => {
    const { accepts, parse } = SETTINGS[name]
    const text = readText(env, name, problems)
    if (text === '') return undefined
    const value = parse(text) as ValueOf<Name> | undefined
    if (value === undefined) problems.push(`${name} must be ${accepts}, got "${hidePassword(text)}".`)
    return value
  }
}

function readDatabase(read: Read, problems: string[], demo: boolean): DatabaseAddress {
  const path = demo ? 'data/demo.db' : 'data/passportd.db'
  const database = read('DATABASE_URL') ?? { engine: 'sqlite', path }
  const [readUrls, maxLag] = [read('DATABASE_READ_URL'), read('REPLICA_MAX_LAG')]
  if (readUrls === undefined) return database
  if (database.engine === 'postgres')
    return { ...database, readUrls, ...(maxLag !== undefined && { maxLag: maxLag * 1000 }) }
  problems.push('DATABASE_READ_URL names a replica: DATABASE_URL must name its PostgreSQL primary.')
  return database
}

type Address = { host: string; port: number }

function readMetrics(read: Read, problems: string[], api: Address): Address | undefined {
  const [host, port] = [read('METRICS_HOST') ?? '127.0.0.1', read('METRICS_PORT')]
  if (port === undefined) return undefined
  if (port === api.port && port !== 0 && host === api.host)
    problems.push(`METRICS_PORT must differ from PORT, got "${port}" for both.`)
  return { host, port }
}

function readBackups(read: Read, problems: string[], { engine }: DatabaseAddress) {
  const [folder, every, keep] = [read('BACKUP_DIR'), read('BACKUP_EVERY'), read('BACKUP_KEEP')]
  if (folder === undefined) {
    if (every ?? keep) problems.push('BACKUP_EVERY and BACKUP_KEEP need BACKUP_DIR: set it to a folder.')
    return undefined
  }
  if (engine === 'postgres')
    problems.push(
      'BACKUP_DIR needs SQLite: unset it, and use the tools of PostgreSQL, such as pg_dump. See "PostgreSQL" in docs/backup.md.',
    )
  return { folder, every: every ?? 24 * 3_600_000, keep: keep ?? 7 }
}

/** Reads the paths of the PEM files for HTTPS, and checks the files. */
function readTls(read: Read, problems: string[]) {
  const [cert, key, http3 = false] = [read('TLS_CERT'), read('TLS_KEY'), read('HTTP3')]
  if (cert !== undefined && key !== undefined) {
    problems.push(...tlsProblems(cert, key))
    return { cert, key, http3 }
  }
  if (cert !== key) problems.push('TLS_CERT and TLS_KEY belong together: set both or neither.')
  else if (http3) problems.push('HTTP3 needs TLS: set TLS_CERT and TLS_KEY.')
  return undefined
}

/** All names that `readConfig` reads. */
export const NAMES = [...Object.keys(SETTINGS), ...SECRETS.map((name) => `${name}_FILE`)]
