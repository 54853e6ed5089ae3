import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NAMES, readConfig, SETTINGS } from '../../src/config/config.ts'
import { misspeltSettings, unknownSettings } from '../../src/config/setting-names.ts'
import { DEFAULT_SITE } from '../../src/config/site.ts'
import { DEFAULT_TIERS } from '../../src/domain/tier.ts'
import { readPage } from '../support/docs/pages.ts'
import { tempFolder } from '../support/temp-folder.ts'

const SUPPORT = join(import.meta.dir, '../support/postgres')

const DEFAULTS = {
  host: '127.0.0.1',
  port: 8080,
  database: { engine: 'sqlite', path: 'data/passportd.db' } as const,
  requireKey: false,
  explorer: true,
  compatV2: true,
  site: DEFAULT_SITE,
  deprecatedAt: Date.UTC(2025, 2, 31),
  tiers: DEFAULT_TIERS,
  trustedProxies: [],
  logRequests: false,
}

describe('readConfig', () => {
  test('every setting has a default, also if it is set to an empty text', () => {
    expect(readConfig({}, { demo: false })).toEqual(DEFAULTS)
    expect(readConfig({ PORT: '', HOST: ' ', DATABASE_URL: '' }, { demo: false })).toEqual(DEFAULTS)
    expect(readConfig({}, { demo: true }).database).toEqual({ engine: 'sqlite', path: 'data/demo.db' })
  })

  test('reads every setting', () => {
    const env = {
      PORT: '0',
      HOST: '[::1]',
      DATABASE_URL: 'sqlite:/var/lib/x.db',
      REQUIRE_API_KEY: 'TRUE',
      EXPLORER: 'on',
      COMPAT_V2: 'off',
      PUBLIC_URL: 'https://passports.example.com/',
      DEPRECATED_AT: '2025-01-01T02:00:00+02:00',
      TIERS: 'standard=100/1m',
      TRUST_PROXY: '10.0.0.0/8, ::1',
      REDIS_URL: 'rediss://:secret@cache:6380/2',
      METRICS_PORT: '0',
      METRICS_HOST: '[::]',
      LOG_REQUESTS: 'on',
      SITE_NAME: 'Guild of Kites',
      SITE_CONTACT: 'privacy@example.com',
      SITE_PRIVACY_URL: 'https://example.com/privacy',
      SITE_ACCENT: '#6B2D5C',
      SITE_INDEX: 'off',
    }
    expect(readConfig(env, { demo: true })).toEqual({
      host: '::1',
      port: 0,
      database: { engine: 'sqlite', path: '/var/lib/x.db' },
      requireKey: true,
      explorer: true,
      compatV2: false,
      publicUrl: 'https://passports.example.com',
      site: {
        name: 'Guild of Kites',
        contact: 'mailto:privacy@example.com',
        privacyUrl: 'https://example.com/privacy',
        accent: '#6b2d5c',
        index: false,
      },
      deprecatedAt: Date.UTC(2025, 0, 1),
      tiers: DEFAULT_TIERS.map((tier) =>
        tier.name === 'standard' ? { ...tier, requests: 100, window: 60 } : tier,
      ),
      trustedProxies: ['10.0.0.0/8', '::1'],
      redisUrl: 'rediss://:secret@cache:6380/2',
      logRequests: true,
      metrics: { host: '::', port: 0 },
    })
  })

  test('REQUIRE_API_KEY switches the explorer off unless EXPLORER is on', () => {
    const explorer = (env: Record<string, string>) => readConfig(env, { demo: false }).explorer
    expect(explorer({ REQUIRE_API_KEY: 'true' })).toBe(false)
    expect(explorer({ REQUIRE_API_KEY: 'true', EXPLORER: 'on' })).toBe(true)
    expect(explorer({ EXPLORER: 'off' })).toBe(false)
  })

  test('HISTORY is a number of days, or forever', () => {
    const days = (HISTORY: string) => readConfig({ HISTORY }, { demo: false }).historyDays
    expect([days(''), days('forever'), days('90')]).toEqual([undefined, Number.POSITIVE_INFINITY, 90])
    for (const wrong of ['0', '1.5', '90d', 'never', '36501']) {
      expect(() => days(wrong)).toThrow(
        `HISTORY must be forever, or a whole number of days from 1 to 36500, got "${wrong}".`,
      )
    }
  })

  test.each(['passports.example.com', 'https://a.example/x', 'ftp://a.example', 'https://u:p@a.example'])(
    'PUBLIC_URL %s is refused',
    (url) => {
      expect(() => readConfig({ PUBLIC_URL: url }, { demo: false })).toThrow('PUBLIC_URL must be')
    },
  )

  test.each([
    ['sqlite:x.db', 'x.db'],
    ['sqlite:./a b/x.db', './a b/x.db'],
    ['sqlite:///srv/x.db', '/srv/x.db'],
  ])('%s is the file %s', (url, path) => {
    expect(readConfig({ DATABASE_URL: url }, { demo: false }).database).toEqual({ engine: 'sqlite', path })
  })

  test('a PostgreSQL primary may have a replica for reads', () => {
    const env = {
      DATABASE_URL: 'postgres://ada:secret@db:5433/x?sslmode=require',
      DATABASE_READ_URL: 'postgresql://replica/x',
    }
    expect(readConfig(env, { demo: true }).database).toEqual({
      engine: 'postgres',
      url: env.DATABASE_URL,
      readUrls: [env.DATABASE_READ_URL],
    })
  })

  test('a replica of a SQLite file is refused, and no password is printed', () => {
    const replica = { DATABASE_READ_URL: 'postgres://replica/x' }
    expect(() => readConfig(replica, { demo: false })).toThrow(
      'DATABASE_URL must name its PostgreSQL primary',
    )
    expect(() => readConfig({ DATABASE_READ_URL: 'mysql://a:secret@b/c' }, { demo: false })).toThrow(
      'got "mysql://…@b/c".',
    )
  })

  test.each([
    ['mysql://me:secret@host/x', 'mysql://…@host/x'],
    ['postgres://me:se/secret@host/x', 'postgres://…@host/x'],
    ['postgres://me:123/secret@host/x', 'postgres://…@host/x'],
    ['postgres://me:%secret@host/x', 'postgres://…@host/x'],
    ['mysql://me:a@secret@host/x', 'mysql://…@host/x'],
    ['me:secret@host/x', 'me:…@host/x'],
    ['mysql://host/x?password=secret&user=me', 'mysql://host/x?password=…&user=me'],
    ["host=h password = 'my secret' user=me", 'host=h password = … user=me'],
  ])('%s is refused, and the message hides the password', (value, shown) => {
    expect(() => readConfig({ DATABASE_URL: value }, { demo: false })).toThrow(`got "${shown}".`)
  })

  test.each(['redis://:123/secret@host', 'redis://me:se/secret@host', 'http://:secret@host'])(
    'REDIS_URL=%s is refused, and the message hides the password',
    (value) => {
      const read = () => readConfig({ REDIS_URL: value }, { demo: false })
      expect(read).toThrow('REDIS_URL must be a URL such as redis://host:6379, got "')
      expect(read).not.toThrow('secret')
    },
  )

  test('the message about an invalid tier names the accepted limits and windows', () => {
    const read = () => readConfig({ TIERS: 'standard=5/25h' }, { demo: false })
    expect(read).toThrow('each of 1 to 1000000 requests in 1s to 24h, got "standard=5/25h".')
  })

  test('TLS needs a readable certificate and its private key', () => {
    const read = (env: Record<string, string>) => () => readConfig(env, { demo: false })
    const [cert, key] = [`${SUPPORT}/postgres-tls.crt`, `${SUPPORT}/postgres-tls.key`]
    const { tls } = readConfig({ TLS_CERT: cert, TLS_KEY: key, HTTP3: 'true' }, { demo: false })
    expect(tls).toEqual({ cert, key, http3: true })
    expect(readConfig({ TLS_CERT: cert, TLS_KEY: key }, { demo: false }).tls?.http3).toBe(false)
    expect(read({ TLS_CERT: cert })).toThrow('TLS_CERT and TLS_KEY belong together: set both or neither.')
    expect(read({ TLS_KEY: key })).toThrow('TLS_CERT and TLS_KEY belong together: set both or neither.')
    expect(read({ HTTP3: 'true' })).toThrow('HTTP3 needs TLS: set TLS_CERT and TLS_KEY.')
    expect(read({ TLS_CERT: '/nowhere', TLS_KEY: cert })).toThrow(
      'TLS_CERT must be a readable PEM file with a certificate, got "/nowhere" (ENOENT).\n' +
        `TLS_KEY must be a readable PEM file with a private key, got "${cert}" (no private key).`,
    )
    using folder = tempFolder()
    const other = join(folder.path, 'other.key')
    const { privateKey } = generateKeyPairSync('ed25519')
    writeFileSync(other, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    expect(read({ TLS_CERT: cert, TLS_KEY: other })).toThrow('TLS_KEY must be the private key of TLS_CERT.')
  })

  test('a setting with a password can come from a file, but not from both', () => {
    using folder = tempFolder()
    const file = (name: string, text: string) => {
      writeFileSync(join(folder.path, name), text)
      return join(folder.path, name)
    }
    const env = {
      DATABASE_URL_FILE: file('database', 'postgres://me:secret@db/x\n'),
      DATABASE_READ_URL_FILE: file('replica', 'postgres://me:secret@replica/x\n'),
      REDIS_URL_FILE: file('redis', ' redis://:secret@cache:6379\n'),
      MIRROR_KEY_FILE: file('mirror', 'key\n'),
    }
    expect(readConfig(env, {})).toMatchObject({
      database: { engine: 'postgres', url: 'postgres://me:secret@db/x' },
      redisUrl: 'redis://:secret@cache:6379',
      mirrorKey: 'key',
    })
    const read = (more: Record<string, string>) => () => readConfig({ ...env, ...more }, {})
    expect(read({ REDIS_URL: 'redis://x' })).toThrow('REDIS_URL and REDIS_URL_FILE are both set: unset one.')
    expect(read({ MIRROR_KEY_FILE: '/nowhere' })).toThrow(
      'MIRROR_KEY_FILE must be a readable file, got "/nowhere" (ENOENT).',
    )
    expect(read({ MIRROR_KEY_FILE: file('empty', '\n') })).toThrow(
      `MIRROR_KEY_FILE must be a file with a value, got an empty file "${join(folder.path, 'empty')}".`,
    )
    expect(read({ REDIS_URL_FILE: file('wrong', 'http://:secret@host\n') })).toThrow(
      'REDIS_URL must be a URL such as redis://host:6379, got "http://…@host".',
    )
  })

  test('metrics and the API cannot share a port, except port 0', () => {
    const read = (env: Record<string, string>) => () => readConfig(env, { demo: false })
    expect(read({ METRICS_PORT: '8080' })).toThrow('METRICS_PORT must differ from PORT, got "8080" for both.')
    expect(read({ METRICS_PORT: '8080', METRICS_HOST: '10.0.0.1' })).not.toThrow()
    expect(read({ METRICS_PORT: '0', PORT: '0' })).not.toThrow()
  })

  test.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80a'],
    ['HOST', 'a b'],
    ['METRICS_PORT', '70000'],
    ['METRICS_HOST', 'a b'],
    ['LOG_REQUESTS', 'some'],
    ['DATABASE_URL', 'sqlite:'],
    ['DATABASE_URL', 'sqlite::memory:'],
    ['DATABASE_URL', 'x.db'],
    ['DATABASE_URL', 'postgres://[x/y'],
    ['DATABASE_URL', 'postgres://x/100%'],
    ['DATABASE_READ_URL', 'replica'],
    ['DATABASE_URL', 'sqlite://data/x.db'],
    ['DATABASE_URL', 'sqlite:~/x.db'],
    ['DATABASE_URL', 'sqlite:x.db?mode=ro'],
    ['REQUIRE_API_KEY', 'maybe'],
    ['COMPAT_V2', 'maybe'],
    ['DEPRECATED_AT', '2025-02-30'],
    ['TIERS', 'standard'],
    ['TIERS', 'standard=5/10s,'],
    ['TIERS', 'standard=5/2d'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '10.0.0.0/8, proxy'],
    ['REDIS_URL', 'localhost:6379'],
    ['REDIS_URL', 'http://localhost:6379'],
    ['REDIS_URL', 'redis://'],
    ['REDIS_URL', 'redis://localhost:0'],
    ['REDIS_URL', 'redis://localhost/limits'],
    ['REDIS_URL', 'redis://localhost/1/'],
    ['REDIS_URL', 'redis://localhost/4294967296'],
  ])('%s=%s is refused with the name and the value', (name, value) => {
    expect(() => readConfig({ [name]: value }, { demo: false })).toThrow(`${name} must be `)
    expect(() => readConfig({ [name]: value }, { demo: false })).toThrow(`got "${value}".`)
  })
})

test('a variable with the prefix PASSPORTD_ or SITE_ that is no setting is reported', () => {
  expect(unknownSettings({ PATH: '/bin', PORT: '1' }, NAMES)).toEqual([])
  expect(unknownSettings({ passportd_host: 'x' }, NAMES)).toEqual([
    'passportd_host is not a setting: use HOST.',
  ])
  const sites = 'the settings are SITE_NAME, SITE_CONTACT, SITE_PRIVACY_URL, SITE_ACCENT, SITE_INDEX.'
  expect(unknownSettings({ SITE_NAME: 'x', SITE_TITLE: 'x', site_color: 'x' }, NAMES)).toEqual([
    `SITE_TITLE is not a setting: ${sites}`,
    `site_color is not a setting: ${sites}`,
  ])
})

test('a misspelt setting is reported once', () => {
  const env = { SITE_NAMES: 'x', PASSPORTD_REQUIRE_API_KEY: 'true' }
  expect(unknownSettings(env, NAMES)).toEqual([])
  expect(misspeltSettings(env, NAMES)).toEqual([
    'SITE_NAMES is not a setting: did you mean SITE_NAME?',
    'PASSPORTD_REQUIRE_API_KEY is not a setting: did you mean REQUIRE_API_KEY?',
  ])
})

test('docs/operate.md lists every setting, in the order of the help', () => {
  const rows = [...readPage('docs/operate.md').matchAll(/^\| `([A-Z][A-Z0-9_]+)` /gm)]
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(SETTINGS))
})
