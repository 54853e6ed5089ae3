import { expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, readConfig } from '../../../src/core/config/config.ts'
import { SETTINGS } from '../../../src/core/config/settings.ts'
import { DEFAULT_SITE, DEMO_SITE } from '../../../src/core/config/site-settings.ts'
import { readPage } from '../../support/docs/pages.ts'
import { DEFAULT_TIERS } from '../../support/program/settings.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const SUPPORT = join(import.meta.dir, '../../support/postgres')

const DEFAULTS: Partial<Config> = {
  host: '127.0.0.1',
  port: 8080,
  database: { engine: 'sqlite', path: 'data/passportd.db' } as const,
  requireKey: false,
  explorer: true,
  compatV2: true,
  compatLater: true,
  site: DEFAULT_SITE,
  deprecatedAt: Date.UTC(2025, 2, 31),
  tiers: DEFAULT_TIERS,
  trustedProxies: [],
  logLevel: 'info',
  logRequests: false,
  webhookAllowPrivate: false,
  historyDays: Number.POSITIVE_INFINITY,
}

const read = (env: Record<string, string>): Partial<Config> => readConfig(env, {})

test('every setting has a default, which is also used if the variable is empty', () => {
  expect(read({})).toEqual(DEFAULTS)
  expect(read({ PORT: '', HOST: ' ', DATABASE_URL: '' })).toEqual(DEFAULTS)
  expect(readConfig({}, { demo: true }).database).toEqual({ engine: 'sqlite', path: 'data/demo.db' })
  expect(readConfig({}, { demo: true }).site).toEqual({ ...DEFAULT_SITE, ...DEMO_SITE })
})

const POSTGRES = 'postgres://ada:secret@db:5433/x?sslmode=require'
const [CERT, KEY] = [`${SUPPORT}/postgres-tls.crt`, `${SUPPORT}/postgres-tls.key`]
const sqlite = (path: string) => ({ database: { engine: 'sqlite', path } as const })

test.each<[Record<string, string>, Partial<Config>]>([
  [
    { PORT: '0', HOST: '[::1]', METRICS_PORT: '0' },
    { port: 0, host: '::1', metrics: { host: '127.0.0.1', port: 0 } },
  ],
  [{ DATABASE_URL: 'sqlite:./a b/x.db' }, sqlite('./a b/x.db')],
  [{ DATABASE_URL: 'sqlite:///srv/x.db' }, sqlite('/srv/x.db')],
  [
    { DATABASE_URL: POSTGRES, DATABASE_READ_URL: 'postgresql://replica/x' },
    { database: { engine: 'postgres', url: POSTGRES, readUrl: 'postgresql://replica/x' } },
  ],
  [{ REQUIRE_API_KEY: 'TRUE' }, { requireKey: true, explorer: false }],
  [
    { EXPLORER: 'off', COMPAT_V2: 'off', LOG_REQUESTS: 'on' },
    { explorer: false, compatV2: false, logRequests: true },
  ],
  [{ LOG_LEVEL: 'Warn', LOG_REQUESTS: 'on' }, { logLevel: 'warn' }],
  [{ BACKUP_DIR: '/backups' }, { backups: { folder: '/backups', every: 86_400_000, keep: 7 } }],
  [
    { BACKUP_DIR: 'kept', BACKUP_EVERY: '1d6h', BACKUP_KEEP: '1' },
    { backups: { folder: 'kept', every: 108_000_000, keep: 1 } },
  ],
  [{ PUBLIC_URL: 'https://passports.example.com/' }, { publicUrl: 'https://passports.example.com' }],
  [{ DEPRECATED_AT: '2025-01-01T02:00:00+02:00' }, { deprecatedAt: Date.UTC(2025, 0, 1) }],
  [{ DEPRECATED_AT: 'none' }, { deprecatedAt: undefined }],
  [{ TRUST_PROXY: '10.0.0.0/8, ::1' }, { trustedProxies: ['10.0.0.0/8', '::1'] }],
  [{ SITE_FONTS: '/fonts' }, { fonts: '/fonts' }],
  [{ WEBHOOK_ALLOW_PRIVATE: 'true' }, { webhookAllowPrivate: true }],
  [{ HISTORY: 'forever' }, { historyDays: Number.POSITIVE_INFINITY }],
  [{ TLS_CERT: CERT, TLS_KEY: KEY }, { tls: { cert: CERT, key: KEY } }],
  [
    {
      SITE_NAME: 'Guild of Kites',
      SITE_OWNER: 'The Kite Guild, Lisbon',
      SITE_CONTACT: 'privacy@example.com',
      SITE_KEYS: 'Write to keys@example.com.',
      SITE_ACCENT: '#6B2D5C',
      SITE_INDEX: 'off',
    },
    {
      site: {
        name: 'Guild of Kites',
        owner: 'The Kite Guild, Lisbon',
        contact: 'mailto:privacy@example.com',
        keys: 'Write to keys@example.com.',
        accent: '#6b2d5c',
        index: false,
      },
    },
  ],
  [
    { SITE_PRIVACY_URL: 'https://example.com/privacy', SITE_KEYS: 'https://example.com/keys' },
    {
      site: {
        ...DEFAULT_SITE,
        privacyUrl: 'https://example.com/privacy',
        keys: 'https://example.com/keys',
      },
    },
  ],
  [
    { TIERS: 'standard=100/1m' },
    {
      tiers: DEFAULT_TIERS.map((tier) =>
        tier.name === 'standard' ? { ...tier, requests: 100, window: 60 } : tier,
      ),
    },
  ],
])('%j changes only these values', (env, changed) => {
  expect(read(env)).toEqual({ ...DEFAULTS, ...changed })
})

test.each<[Record<string, string>, string]>([
  [{ HISTORY: '1.5' }, 'HISTORY must be forever, or a whole number of days from 1 to 36500, got "1.5".'],
  ...['javascript://x', 'x'.repeat(301), 'a\nb'].map((keys): [Record<string, string>, string] => [
    { SITE_KEYS: keys },
    `SITE_KEYS must be a URL such as https://example.com/keys, or a text of at most 300 characters, got "${keys}".`,
  ]),
  [{ SITE_OWNER: 'a\u202eb' }, 'SITE_OWNER must be a name of at most 100 characters, got "a\u202eb".'],
  [{ LOG_LEVEL: 'debug' }, 'LOG_LEVEL must be info, warn or error, got "debug".'],
  ...['0s', '6', 'daily', '-1h', '1.5h'].map((every): [Record<string, string>, string] => [
    { BACKUP_DIR: 'kept', BACKUP_EVERY: every },
    `BACKUP_EVERY must be a duration of at least 1s, such as 6h or 1d12h, got "${every}".`,
  ]),
  ...['0', '10001', 'all', '1.5'].map((keep): [Record<string, string>, string] => [
    { BACKUP_DIR: 'kept', BACKUP_KEEP: keep },
    `BACKUP_KEEP must be a whole number from 1 to 10000, got "${keep}".`,
  ]),
  [{ BACKUP_EVERY: '6h' }, 'BACKUP_EVERY and BACKUP_KEEP need BACKUP_DIR: set it to a folder.'],
  [{ BACKUP_KEEP: '3' }, 'BACKUP_EVERY and BACKUP_KEEP need BACKUP_DIR'],
  [
    { BACKUP_DIR: 'kept', DATABASE_URL: POSTGRES },
    'BACKUP_DIR needs SQLite: unset it, and use the tools of PostgreSQL, such as pg_dump. See "PostgreSQL" in docs/backup.md.',
  ],
  [{ DATABASE_READ_URL: 'postgres://replica/x' }, 'DATABASE_URL must name its PostgreSQL primary'],
  [{ DATABASE_READ_URL: 'postgres://a/x,postgres://b/x' }, 'must be the URL of a replica'],
  [{ DATABASE_READ_URL: 'mysql://a:secret@b/c' }, 'got "mysql://…@b/c".'],
  [{ DATABASE_URL: 'mysql://me:secret@host/x' }, 'got "mysql://…@host/x".'],
  [{ DATABASE_URL: 'postgres://me:se/secret@host/x' }, 'got "postgres://…@host/x".'],
  [{ DATABASE_URL: 'postgres://me:123/secret@host/x' }, 'got "postgres://…@host/x".'],
  [{ DATABASE_URL: 'postgres://me:%secret@host/x' }, 'got "postgres://…@host/x".'],
  [{ DATABASE_URL: 'mysql://me:a@secret@host/x' }, 'got "mysql://…@host/x".'],
  [{ DATABASE_URL: 'me:secret@host/x' }, 'got "me:…@host/x".'],
  [{ DATABASE_URL: 'mysql://host/x?password=secret&user=me' }, 'got "mysql://host/x?password=…&user=me".'],
  [{ DATABASE_URL: "host=h password = 'my secret' user=me" }, 'got "host=h password = … user=me".'],
  [{ PUBLIC_URL: 'https://u:secret@a.example' }, 'PUBLIC_URL must be'],
  [{ TIERS: 'standard=5/25h' }, 'each of 1 to 1000000 requests in 1s to 24h, got "standard=5/25h".'],
  [{ METRICS_PORT: '8080' }, 'METRICS_PORT must differ from PORT, got "8080" for both.'],
  [{ TLS_CERT: CERT }, 'TLS_CERT and TLS_KEY belong together: set both or neither.'],
  [{ TLS_KEY: KEY }, 'TLS_CERT and TLS_KEY belong together: set both or neither.'],
  [
    { TLS_CERT: '/nowhere', TLS_KEY: CERT },
    'TLS_CERT must be a readable PEM file with a certificate, got "/nowhere" (ENOENT).\n' +
      `TLS_KEY must be a readable PEM file with a private key, got "${CERT}" (no private key).`,
  ],
])('%j is refused, and the message has no password', (env, sentence) => {
  expect(() => read(env)).toThrow(sentence)
  expect(() => read(env)).not.toThrow('secret')
})

test('a TLS_KEY that does not belong to TLS_CERT is refused', () => {
  using folder = tempFolder()
  const other = join(folder.path, 'other.key')
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(other, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  expect(() => read({ TLS_CERT: CERT, TLS_KEY: other })).toThrow(
    'TLS_KEY must be the private key of TLS_CERT.',
  )
})

test('a setting with a password can come from a variable or a file, but not from both', () => {
  using folder = tempFolder()
  const file = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text)
    return join(folder.path, name)
  }
  const env = {
    DATABASE_URL_FILE: file('database', 'postgres://me:secret@db/x\n'),
    MIRROR_KEY_FILE: file('mirror', ' key\n'),
  }
  expect(read(env)).toMatchObject({
    database: { engine: 'postgres', url: 'postgres://me:secret@db/x' },
    mirrorKey: 'key',
  })
  for (const [more, sentence] of [
    [{ MIRROR_KEY: 'x' }, 'MIRROR_KEY and MIRROR_KEY_FILE are both set: unset one.'],
    [{ MIRROR_KEY_FILE: '/nowhere' }, 'MIRROR_KEY_FILE must be a readable file, got "/nowhere" (ENOENT).'],
    [
      { MIRROR_KEY_FILE: file('empty', '\n') },
      'MIRROR_KEY_FILE must be a file with a value, got an empty file "',
    ],
    [
      { SIGNING_KEYS_FILE: file('keys', '{"keys":[{"d":"secret"}]}') },
      'as "signing rotate" writes it, got another text.',
    ],
    [{ COPY_TO_URL_FILE: file('wrong', 'only-the-password\n') }, 'host/database, got another text.'],
    [{ DATABASE_URL_FILE: '/proc/version', DATABASE_URL: '' }, 'host/database, got another text.'],
  ] as const)
    expect(() => read({ ...env, ...more })).toThrow(sentence)
})

test.each([
  ['PORT', ['65536', '-1', '80a']],
  ['HOST', ['a b']],
  ['METRICS_PORT', ['70000']],
  ['METRICS_HOST', ['a b']],
  ['LOG_REQUESTS', ['some']],
  ['DATABASE_URL', ['sqlite:', 'sqlite::memory:', 'x.db', 'postgres://[x/y', 'postgres://x/100%']],
  ['DATABASE_URL', ['sqlite://data/x.db', 'sqlite:~/x.db', 'sqlite:x.db?mode=ro']],
  ['DATABASE_READ_URL', ['replica']],
  ['REQUIRE_API_KEY', ['maybe']],
  ['COMPAT_V2', ['maybe']],
  ['DEPRECATED_AT', ['2025-02-30']],
  ['HISTORY', ['0', '90d', 'never', '36501']],
  ['PUBLIC_URL', ['passports.example.com', 'https://a.example/x', 'ftp://a.example']],
  ['TIERS', ['standard', 'standard=5/10s,', 'standard=5/2d']],
  ['TRUST_PROXY', ['true', '10.0.0.0/8, proxy']],
])('the error for %s=%j names the setting and the value', (name, values) => {
  for (const value of values)
    expect(() => read({ [name]: value })).toThrow(
      new RegExp(`^${name} must be .*, got "${RegExp.escape(value)}"\\.$`),
    )
})

test('docs/operate.md lists every setting, in the order of the help', () => {
  const rows = [...readPage('docs/operate.md').matchAll(/^\| `([A-Z][A-Z0-9_]+)` /gm)]
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(SETTINGS))
})
