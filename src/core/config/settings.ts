import { parseDuration } from '../basics/text/duration.ts'
import { parseInstant } from '../basics/text/instant.ts'
import { parseWebAddress } from '../basics/url.ts'
import { DATABASE_EXAMPLES, parseDatabaseAddress, parsePostgresUrl } from '../store/database-address.ts'
import { parseTiers, TIERS_EXAMPLE } from './rate-limit-tier.ts'
import {
  orNone,
  parseFlag,
  parseHistory,
  parseHost,
  parseLogLevel,
  parsePort,
  parseProxies,
  parsePublicUrl,
  whole,
} from './setting-parsers.ts'
import { parseSigningKeys } from './signing-keys.ts'
import {
  DEFAULT_SITE,
  parseAccent,
  parseContact,
  parseKeyHelp,
  parseOwner,
  parseSiteName,
} from './site-settings.ts'

type Parse<T> = (text: string) => T | undefined

/**
 * A setting with a default, `initial`, which the help shows and `parse` accepts. `accepts` completes the sentence
 * "PORT must be ...". `parse` returns undefined for an invalid value.
 */
const define = <T>(about: string, initial: string, accepts: string, parse: Parse<T>) => ({
  ...{ about, initial, accepts, parse },
  unset: parse(initial) as T,
})

/** A setting without a default. The help shows `initial`. */
const optional = <T>(about: string, accepts: string, parse: Parse<T>, initial = 'none') => ({
  ...{ about, initial, accepts, parse },
  unset: undefined,
})

const FLAG = 'true or false'
const PORT = 'a port from 0 to 65535'
const DATABASE = `a URL such as ${DATABASE_EXAMPLES}`
const flag = (about: string, initial = 'false') => define(about, initial, FLAG, parseFlag)
const host = (about: string) => define(about, '127.0.0.1', 'a host name or address', parseHost)
const days = (about: string) =>
  optional(about, 'a whole number of days from 31 to 36500', whole(31, 36_500), 'kept')
const anyText = (about: string, initial = 'none') => optional(about, 'a text', (text) => text, initial)

/** The help and the check for misspelt names use this table. docs/operate.md has the same settings and order. */
export const SETTINGS = {
  PORT: define('port to listen on; 0 takes any free port', '8080', PORT, parsePort),
  HOST: host('address to listen on; 0.0.0.0 for all'),
  PUBLIC_URL: optional(
    'public base URL, for shared links',
    'the URL of the service, such as https://passports.example.com',
    parsePublicUrl,
    'as requested',
  ),
  TRUST_PROXY: optional(
    'proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8',
    'addresses or blocks of proxies, such as 10.0.0.0/8, 127.0.0.1',
    parseProxies,
  ),
  TLS_CERT: anyText('PEM file with the certificate; with TLS_KEY, serves HTTPS and HTTP/2'),
  TLS_KEY: anyText('PEM file with the private key of the certificate'),
  DATABASE_URL: define(
    'database to use, or postgres://user:password@host/database',
    'sqlite:data/passportd.db',
    DATABASE,
    parseDatabaseAddress,
  ),
  DATABASE_READ_URL: optional(
    'PostgreSQL replica for long reads, such as exports',
    'the URL of a replica, such as postgres://user:password@host/database',
    parsePostgresUrl,
  ),
  REQUIRE_API_KEY: flag('refuse clients without a key'),
  TIERS: optional(
    'rate limits of clients, such as partner=20000/10s',
    `tiers such as ${TIERS_EXAMPLE}, each of 1 to 1000000 requests in 1s to 24h`,
    parseTiers,
    'built-in tiers',
  ),
  COMPAT_V2: flag('serve /api/v2 as well as /api/v1', 'true'),
  COMPAT_LATER: flag('serve the paths of the last API of that host, such as /score', 'true'),
  DEPRECATED_AT: define(
    'start of the deprecation of V1; none if it is not deprecated',
    '2025-03-31',
    'none, or a date such as 2025-03-31 or 2025-03-31T00:00:00Z',
    orNone(parseInstant),
  ),
  EXPLORER: optional(
    'show passports to people in a browser',
    FLAG,
    parseFlag,
    'on, unless a key is required',
  ),
  SITE_NAME: define(
    'name of the service on its pages and cards',
    DEFAULT_SITE.name,
    'a name of at most 40 characters',
    parseSiteName,
  ),
  SITE_OWNER: optional(
    'person or organization that runs the service, named on every page',
    'a name of at most 100 characters',
    parseOwner,
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
  SITE_KEYS: optional(
    'how to get an API key: a URL or a sentence, on /about, in the reference and in 401 responses of v3',
    'a URL such as https://example.com/keys, or a text of at most 300 characters',
    parseKeyHelp,
  ),
  SITE_ACCENT: optional(
    'colour of links, badges and cards',
    'a colour such as #1d6552 that is dark enough for text on a light page (contrast of at least 4.5:1)',
    parseAccent,
    'green',
  ),
  SITE_FONTS: anyText('folder with fonts for names on cards, instead of the Noto fonts of the system'),
  SITE_INDEX: flag('let search engines list the pages', String(DEFAULT_SITE.index)),
  RULES: anyText('file with your own rule set', 'built-in rule set'),
  SIGNING_KEYS: optional(
    'private key for signed snapshots and heads of the log, as a JWK Set',
    'a JWK Set with an Ed25519 key, as "signing rotate" writes it',
    parseSigningKeys,
  ),
  WEBHOOK_ALLOW_PRIVATE: flag('let webhooks use http and addresses of private networks'),
  HISTORY: define(
    'days after which events are deleted, or forever',
    'forever',
    'forever, or a whole number of days from 1 to 36500',
    parseHistory,
  ),
  USAGE_DAYS: days('days after which usage counts are deleted'),
  AUDIT_DAYS: days('days after which entries of the audit log are deleted'),
  BACKUP_DIR: anyText('folder for scheduled backups of a SQLite database'),
  BACKUP_EVERY: define(
    'time between scheduled backups',
    '24h',
    'a duration of at least 1s, such as 6h or 1d12h',
    (text) => parseDuration(text) || undefined,
  ),
  BACKUP_KEEP: define('scheduled backups to keep', '7', 'a whole number from 1 to 10000', whole(1, 10_000)),
  LOG_LEVEL: define(
    'least important entries to log: info, warn or error',
    'info',
    'info, warn or error',
    parseLogLevel,
  ),
  LOG_REQUESTS: flag('log an entry for each request, as info'),
  METRICS_PORT: optional('port for Prometheus /metrics; 0 takes any free port', PORT, parsePort, 'off'),
  METRICS_HOST: host('address for /metrics'),
  MIRROR_KEY: anyText('key for the service that "mirror" copies or "verify" checks'),
  COPY_FROM_URL: optional('database that "copy" reads', DATABASE, parseDatabaseAddress),
  COPY_TO_URL: optional('database that "copy" writes', DATABASE, parseDatabaseAddress),
}
