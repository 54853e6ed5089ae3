import { type DatabaseAddress, hidePassword } from '../store/database-address.ts'
import { tlsProblems } from './check-tls-files.ts'
import { misspeltSettings } from './misspelt-settings.ts'
import { DEFAULT_TIERS } from './rate-limit-tier.ts'
import { type Environment, readText, SECRETS } from './secrets.ts'
import { SETTINGS } from './settings.ts'
import { DEMO_SITE, type SiteSettings } from './site-settings.ts'

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

type SettingName = keyof typeof SETTINGS
type ValueOf<Name extends SettingName> = Exclude<ReturnType<(typeof SETTINGS)[Name]['parse']>, undefined>
/** Undefined only for a setting without a default. */
type ReadOf<Name extends SettingName> = ValueOf<Name> | (typeof SETTINGS)[Name]['unset']

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
  const address = { host: read('HOST'), port: read('PORT') }
  const requireKey = read('REQUIRE_API_KEY')
  const demoSite: Partial<SiteSettings> = demo ? DEMO_SITE : {}
  const site: SiteSettings = {
    ...demoSite,
    name: read('SITE_NAME'),
    owner: read('SITE_OWNER'),
    contact: read('SITE_CONTACT') ?? demoSite.contact,
    privacyUrl: read('SITE_PRIVACY_URL'),
    keys: read('SITE_KEYS') ?? demoSite.keys,
    accent: read('SITE_ACCENT'),
    index: read('SITE_INDEX'),
  }
  const database = readDatabase(read, problems, demo)
  const logLevel = read('LOG_LEVEL')
  const config = {
    ...address,
    database,
    requireKey,
    // The explorer must not bypass REQUIRE_API_KEY by default.
    explorer: read('EXPLORER') ?? !requireKey,
    compatV2: read('COMPAT_V2'),
    compatLater: read('COMPAT_LATER'),
    publicUrl: read('PUBLIC_URL'),
    site,
    fonts: read('SITE_FONTS'),
    /** Epoch milliseconds; undefined if V1 is not deprecated. */
    deprecatedAt: read('DEPRECATED_AT') ?? undefined,
    tiers: read('TIERS') ?? DEFAULT_TIERS,
    trustedProxies: read('TRUST_PROXY') ?? [],
    logLevel,
    logRequests: read('LOG_REQUESTS') && logLevel === 'info',
    metrics: readMetrics(read, problems, address),
    rules: read('RULES'),
    mirrorKey: read('MIRROR_KEY'),
    copyFrom: read('COPY_FROM_URL'),
    copyTo: read('COPY_TO_URL'),
    /** Usage counts are kept for this many days. */
    usageDays: read('USAGE_DAYS'),
    /** Entries of the audit log are kept for this many days. */
    auditDays: read('AUDIT_DAYS'),
    /** Events are kept for this many days; infinite for `forever`. */
    historyDays: read('HISTORY'),
    backups: readBackups(env, read, problems, database),
    signingKeys: read('SIGNING_KEYS'),
    webhookAllowPrivate: read('WEBHOOK_ALLOW_PRIVATE'),
    tls: readTls(read, problems),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

type Read = <Name extends SettingName>(name: Name, unset?: ValueOf<Name>) => ReadOf<Name>

/** Returns a function that reads one setting. An invalid value adds a sentence to `problems`. */
function createReader(env: Environment, problems: string[]): Read {
  return <Name extends SettingName>(name: Name, unset: ReadOf<Name> = SETTINGS[name].unset) => {
    const { accepts, parse } = SETTINGS[name]
    const text = readText(env, name, problems)
    if (text === '') return unset
    const value = parse(text) as ValueOf<Name> | undefined
    // Invalid signing keys may still contain a private key, and a wrong file may contain anything.
    const isHidden = name === 'SIGNING_KEYS' || env[name]?.trim() !== text
    const received = isHidden ? 'another text' : `"${hidePassword(text)}"`
    if (value === undefined) problems.push(`${name} must be ${accepts}, got ${received}.`)
    return value === undefined ? unset : value
  }
}

function readDatabase(read: Read, problems: string[], demo: boolean): DatabaseAddress {
  const database = read('DATABASE_URL', demo ? { engine: 'sqlite', path: 'data/demo.db' } : undefined)
  const readUrl = read('DATABASE_READ_URL')
  if (readUrl === undefined) return database
  if (database.engine === 'postgres') return { ...database, readUrl }
  problems.push('DATABASE_READ_URL names a replica: DATABASE_URL must name its PostgreSQL primary.')
  return database
}

type Address = { host: string; port: number }

function readMetrics(read: Read, problems: string[], api: Address): Address | undefined {
  const [host, port] = [read('METRICS_HOST'), read('METRICS_PORT')]
  if (port === undefined) return undefined
  if (port === api.port && port !== 0 && host === api.host)
    problems.push(`METRICS_PORT must differ from PORT, got "${port}" for both.`)
  return { host, port }
}

function readBackups(env: Environment, read: Read, problems: string[], { engine }: DatabaseAddress) {
  const [folder, every, keep] = [read('BACKUP_DIR'), read('BACKUP_EVERY'), read('BACKUP_KEEP')]
  if (folder === undefined) {
    if (env.BACKUP_EVERY?.trim() || env.BACKUP_KEEP?.trim())
      problems.push('BACKUP_EVERY and BACKUP_KEEP need BACKUP_DIR: set it to a folder.')
    return undefined
  }
  if (engine === 'postgres')
    problems.push(
      'BACKUP_DIR needs SQLite: unset it, and use the tools of PostgreSQL, such as pg_dump. See "PostgreSQL" in docs/backup.md.',
    )
  return { folder, every, keep }
}

/** Reads the paths of the PEM files for HTTPS, and checks the files. */
function readTls(read: Read, problems: string[]) {
  const [cert, key] = [read('TLS_CERT'), read('TLS_KEY')]
  if (cert !== undefined && key !== undefined) {
    problems.push(...tlsProblems(cert, key))
    return { cert, key }
  }
  if (cert !== key) problems.push('TLS_CERT and TLS_KEY belong together: set both or neither.')
  return undefined
}

/** All names that `readConfig` reads. */
export const NAMES = [...Object.keys(SETTINGS), ...SECRETS.map((name) => `${name}_FILE`)]
