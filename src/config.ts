import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isAddressBlock } from './domain/cidr.ts'
import {
  DATABASE_EXAMPLES,
  type DatabaseAddress,
  hidePassword,
  parseDatabaseAddress,
  parsePostgresUrl,
} from './domain/database-address.ts'
import { parseInstant } from './domain/text/instant.ts'
import { DEFAULT_TIERS, parseTiers, TIERS_EXAMPLE, type Tier } from './domain/tier.ts'
import { parseOrigin } from './domain/url.ts'

export type Config = {
  host: string
  port: number
  database: DatabaseAddress
  requireKey: boolean
  /** Pages that show passports to people. */
  explorer: boolean
  /** The address that people know the service by, where that is not the one it is asked at. */
  publicUrl?: string | undefined
  /** Epoch milliseconds. */
  deprecatedAt: number
  tiers: readonly Tier[]
  /** Addresses and blocks of proxies whose word about callers is taken. */
  trustedProxies: readonly string[]
  /** One entry of the log for each request. */
  logRequests: boolean
  /** Where metrics are served, if they are. */
  metrics?: { host: string; port: number }
  /** Where limits are counted for all nodes. */
  redisUrl?: string | undefined
  /** The file of the operator's own rule set. */
  rules?: string | undefined
  /** The key for the service that is mirrored. */
  mirrorKey?: string | undefined
  /** Paths of PEM files: HTTPS with HTTP/2, and HTTP/3 where that is wanted. */
  tls?: { cert: string; key: string; http3: boolean }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Everything that is wrong with the environment, one sentence each. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

const SETTINGS = [
  'PORT',
  'HOST',
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'REQUIRE_API_KEY',
  'EXPLORER',
  'PUBLIC_URL',
  'TIERS',
  'TRUST_PROXY',
  'REDIS_URL',
  'DEPRECATED_AT',
  'METRICS_PORT',
  'METRICS_HOST',
  'LOG_REQUESTS',
  'RULES',
  'MIRROR_KEY',
  'TLS_CERT',
  'TLS_KEY',
  'HTTP3',
]

/** Reads the settings from `env`, and throws one `ConfigError` that names all that is wrong. */
export function readConfig(env: Environment, { demo = false }: { demo?: boolean | undefined }): Config {
  const problems: string[] = []

  /** An unset or empty variable is its default; `undefined` from `parse` means the value will not do. */
  function read<T>(name: string, fallback: T, wanted: string, parse: (text: string) => T | undefined): T {
    const text = env[name]?.trim() ?? ''
    if (text === '') return fallback
    const value = parse(text)
    if (value === undefined) problems.push(`${name} must be ${wanted}, got "${hidePassword(text)}".`)
    return value ?? fallback
  }

  const optional = (name: string, wanted: string, parse: (text: string) => string | undefined) =>
    read<string | undefined>(name, undefined, wanted, parse)
  const anyText = (name: string) => optional(name, 'a text', (text) => text)

  const requireKey = read('REQUIRE_API_KEY', false, 'true or false', parseFlag)
  const config: Config = {
    host: read('HOST', '127.0.0.1', 'a host name or address', parseHost),
    port: read('PORT', 8080, 'a port from 0 to 65535', parsePort),
    database: read(
      'DATABASE_URL',
      { engine: 'sqlite', path: demo ? 'data/demo.db' : 'data/passportd.db' },
      `an address such as ${DATABASE_EXAMPLES}`,
      parseDatabaseAddress,
    ),
    requireKey,
    // Where the API is closed, its data is not shown to everybody by a side door.
    explorer: read('EXPLORER', !requireKey, 'on or off', parseFlag),
    publicUrl: optional(
      'PUBLIC_URL',
      'the address of the service, such as https://passports.example.com',
      parsePublicUrl,
    ),
    deprecatedAt: read(
      'DEPRECATED_AT',
      Date.UTC(2025, 2, 31),
      'a date such as 2025-03-31 or 2025-03-31T00:00:00Z',
      parseInstant,
    ),
    tiers: read(
      'TIERS',
      DEFAULT_TIERS,
      `tiers such as ${TIERS_EXAMPLE}, each of 1 to 1000000 requests in 1s to 24h`,
      parseTiers,
    ),
    trustedProxies: read<readonly string[]>(
      'TRUST_PROXY',
      [],
      'addresses or blocks of proxies, such as 10.0.0.0/8, 127.0.0.1',
      parseProxies,
    ),
    logRequests: read('LOG_REQUESTS', false, 'true or false', parseFlag),
    redisUrl: optional('REDIS_URL', 'an address such as redis://host:6379', parseRedisUrl),
    rules: anyText('RULES'),
    mirrorKey: anyText('MIRROR_KEY'),
  }
  const host = read('METRICS_HOST', '127.0.0.1', 'a host name or address', parseHost)
  const port = read<number | undefined>('METRICS_PORT', undefined, 'a port from 0 to 65535', parsePort)
  if (port !== undefined) config.metrics = { host, port }
  if (port === config.port && port !== 0 && host === config.host)
    problems.push(`METRICS_PORT must be another port than PORT, got "${port}" for both.`)
  const replica = 'the address of a replica, such as postgres://user:password@host/database'
  const readUrl = optional('DATABASE_READ_URL', replica, parsePostgresUrl)
  if (readUrl !== undefined && config.database.engine === 'postgres') config.database.readUrl = readUrl
  else if (readUrl !== undefined)
    problems.push('DATABASE_READ_URL names a replica: DATABASE_URL must then name its PostgreSQL primary.')
  const http3 = read('HTTP3', false, 'true or false', parseFlag)
  const [cert, key] = [anyText('TLS_CERT'), anyText('TLS_KEY')]
  if (cert !== undefined && key !== undefined) {
    problems.push(...tlsProblems(cert, key))
    config.tls = { cert, key, http3 }
  } else if (cert !== key) {
    problems.push('TLS_CERT and TLS_KEY belong together: set both or neither.')
  } else if (http3) problems.push('HTTP3 needs TLS: set TLS_CERT and TLS_KEY.')
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

function tlsProblems(cert: string, key: string): string[] {
  const problems: string[] = []
  function load<T>(name: string, path: string, wanted: string, parse: (pem: Buffer) => T): T | undefined {
    try {
      return parse(readFileSync(path))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const reason = code?.startsWith('E') && !code.startsWith('ERR_') ? code : `no ${wanted}`
      problems.push(`${name} must be a readable PEM file with a ${wanted}, got "${path}" (${reason}).`)
      return undefined
    }
  }
  const certificate = load('TLS_CERT', cert, 'certificate', (pem) => new X509Certificate(pem))
  const privateKey = load('TLS_KEY', key, 'private key', (pem) => createPrivateKey(pem))
  if (certificate && privateKey && !certificate.checkPrivateKey(privateKey))
    problems.push('TLS_KEY must be the private key of TLS_CERT.')
  return problems
}

/** A sentence for each variable that looks like a setting of ours and is not read. */
export function unknownSettings(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => /^PASSPORTD_/i.test(name))
    .map((name) => {
      const meant = name.slice('PASSPORTD_'.length).toUpperCase()
      const advice = SETTINGS.includes(meant) ? `use ${meant}` : `the settings are ${SETTINGS.join(', ')}`
      return `${name} is not read: ${advice}.`
    })
}

/** A sentence for each variable whose name is nearly that of a setting which is not set. */
export function misspeltSettings(env: Environment): string[] {
  return Object.keys(env).flatMap((name) => {
    if (SETTINGS.includes(name)) return []
    const meant = SETTINGS.find(
      (setting) =>
        env[setting] === undefined && distance(name.toUpperCase(), setting) <= (setting.length > 5 ? 2 : 1),
    )
    return meant === undefined ? [] : [`${name} is not read: is ${meant} meant?`]
  })
}

/** How many letters are to be added, taken away or changed to make one text of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (const [to, wanted] of [...other].entries()) {
      const changed = (row[to] as number) + Number(letter !== wanted)
      next.push(Math.min(changed, (row[to + 1] as number) + 1, (next[to] as number) + 1))
    }
    row = next
  }
  return row[other.length] as number
}

/** An IPv6 address may stand in brackets, as in a URL. */
const parseHost = (text: string) => /^\[?([\w.:-]+)\]?$/.exec(text)?.[1]

function parsePort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined
}

function parseFlag(text: string): boolean | undefined {
  if (/^(true|1|yes|on)$/i.test(text)) return true
  return /^(false|0|no|off)$/i.test(text) ? false : undefined
}

/** Only the host: the service has its paths below the root. */
const parsePublicUrl = (text: string) => parseOrigin(text.replace(/\/$/, ''))?.origin

function parseProxies(text: string): readonly string[] | undefined {
  const blocks = text.split(',').map((block) => block.trim())
  return blocks.every(isAddressBlock) ? blocks : undefined
}

function parseRedisUrl(text: string): string | undefined {
  const url = /^rediss?:\/\//.test(text) ? URL.parse(text) : null
  // A path is the number of a database; the client would throw at any other.
  if (!url?.hostname || url.port === '0' || !/^(\/\d{0,9})?$/.test(url.pathname)) return undefined
  // An @ that ends no user belongs to a password with a bare / or ? or #: its first half would pass for the host.
  return url.username !== '' || url.password !== '' || !text.includes('@') ? text : undefined
}
