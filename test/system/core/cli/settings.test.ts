import { describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../../support/cli.ts'
import { callHere } from '../../../support/cli-in-process.ts'
import { writeCertificate } from '../../../support/http/certificate.ts'
import { readConfig } from '../../../support/program/settings.ts'
import { hasPrograms } from '../../../support/programs.ts'
import { signNow } from '../../../support/proof/sample-snapshot.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

/** A folder with these files. */
function folderWith(files: Record<string, string>) {
  const folder = tempFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text)
  return folder
}

describe('.env', () => {
  test('.env may have comments, exports and quotes, its values are literal, and the environment has precedence', async () => {
    using folder = folderWith({
      '.env':
        '# comment\r\n\n export DATABASE_URL = sqlite:pa$HOME.db # why\nEMPTY=\nA.B-C=1\nTEXT="one # two \'" # three\nLAST=`x`',
      '.env.local': 'DATABASE_URL=sqlite:local.db\n',
    })
    const cwd = folder.path
    const create = ['import', '/dev/null']
    expect(await run(create, { cwd, env: { HOME: '/x' } })).toMatchObject({ code: 0 })
    expect(existsSync(join(cwd, 'pa$HOME.db'))).toBe(true)
    expect(existsSync(join(cwd, 'local.db'))).toBe(false)
    expect(await run(create, { cwd, env: { DATABASE_URL: 'sqlite:b.db' } })).toMatchObject({ code: 0 })
    expect(existsSync(join(cwd, 'b.db'))).toBe(true)
  })

  test.each([
    ['REQUIRE_API_KEY: true\n', 1],
    ['PORT=1\n\nREQUIRE_API_KEY true\nHOST=x\n', 3],
    ['TEXT="a\nb"\nsecret', 1],
    ['TEXT="a\nPORT=1\n', 1],
    ['=x', 1],
  ])('a malformed line in .env (%j) is refused with its number, but without its text', async (text, line) => {
    using folder = folderWith({ '.env': text })
    expect(await run(['keys', 'list'], { cwd: folder.path })).toEqual({
      out: '',
      err: `passportd: .env:${line}: the line must be NAME=value or a comment, and a quoted value must end on it.\n`,
      code: 2,
    })
  })

  const isRoot = process.getuid?.() === 0

  test.each<[string, (path: string) => void, string]>([
    ['a folder', (path) => mkdirSync(path), 'is not a plain file'],
    ['a named pipe', (path) => Bun.spawnSync(['mkfifo', path]), 'is not a plain file'],
    ['a link to itself', (path) => symlinkSync(path, path), 'cannot be read (ELOOP)'],
    ['writable by every user', (path) => writeAs(path, 0o666), 'can be written by every user'],
    ...(isRoot
      ? [['of another user', (path: string) => writeAs(path, 0o600, 12345), 'belongs to user 12345'] as const]
      : []),
  ] as [string, (path: string) => void, string][])(
    '.env that is %s is refused with exit code 2, except by commands that need no settings',
    async (_, make, reason) => {
      using folder = tempFolder()
      make(join(folder.path, '.env'))
      expect(await run(['import', '/dev/null'], { cwd: folder.path })).toEqual({
        out: '',
        err: expect.stringContaining(`passportd: .env in the working directory ${reason}`),
        code: 2,
      })
      expect(readdirSync(folder.path)).toEqual(['.env'])
      for (const args of [['--version'], ['--help'], ['completions', 'bash'], ['openapi']])
        expect(await run(args, { cwd: folder.path })).toMatchObject({ err: '', code: 0 })
      const none = await run(['verify', 'none.jwt'], { cwd: folder.path })
      expect(none.err).toContain('none.jwt cannot be read: ENOENT')
    },
  )

  function writeAs(path: string, mode: number, user?: number): void {
    writeFileSync(path, 'DATABASE_URL=sqlite:stolen.db\n')
    chmodSync(path, mode)
    if (user !== undefined) chownSync(path, user, user)
  }

  test.if(hasPrograms('openssl'))(
    'variables in .env that are not settings are reported, and change neither certificates, nor proxies, nor what is printed',
    async () => {
      using folder = tempFolder()
      const cwd = folder.path
      const { TLS_CERT, TLS_KEY } = writeCertificate(cwd, '127.0.0.1')
      let requests = 0
      const fetch = () => new Response(String(requests++))
      const tls = { cert: Bun.file(TLS_CERT), key: Bun.file(TLS_KEY) }
      await using secure = Bun.serve({ hostname: '127.0.0.1', port: 0, tls, fetch })
      await using proxy = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch })
      await using service = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json({}) })
      const lines = [
        'NODE_TLS_REJECT_UNAUTHORIZED=0',
        `HTTP_PROXY=${proxy.url.origin}`,
        `HTTPS_PROXY=${proxy.url.origin}`,
        'BUN_CONFIG_VERBOSE_FETCH=curl',
        'MIRROR_KEY=secretkey1',
      ]
      writeFileSync(join(cwd, '.env'), lines.join('\n'))
      expect(await run(['verify', '--log', service.url.origin], { cwd })).toEqual({
        out: '',
        err: `passportd: .env: no setting, so without effect: NODE_TLS_REJECT_UNAUTHORIZED, HTTP_PROXY, HTTPS_PROXY, BUN_CONFIG_VERBOSE_FETCH.
passportd: /api/v3/log is not the head of an event log: check the URL.\n`,
        code: 1,
      })
      writeFileSync(join(cwd, 'score.jwt'), signNow('https://passports.example.com'))
      expect(await run(['verify', 'score.jwt', '--keys', `${secure.url}keys`], { cwd })).toEqual({
        out: '',
        err: expect.stringMatching(/self.signed certificate/i),
        code: 1,
      })
      expect(requests).toBe(0)
    },
  )

  test('NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment is refused with exit code 2', async () => {
    using folder = tempFolder()
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    expect(await run(['keys', 'list'], { cwd: folder.path, env })).toEqual({
      out: '',
      err: expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED must be unset or 1'),
      code: 2,
    })
  })
})

describe('names of settings', () => {
  test.each([
    ['REQUIRE_APIKEY', 'REQUIRE_API_KEY'],
    ['require_api_key', 'REQUIRE_API_KEY'],
    ['REQUIRE_KEY', 'REQUIRE_API_KEY'],
    ['API_KEY_REQUIRED', 'REQUIRE_API_KEY'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['DB_URL', 'DATABASE_URL'],
    ['TRUST_PROXIES', 'TRUST_PROXY'],
    ['MIRROR_API_KEY', 'MIRROR_KEY'],
    ['MIRROR_KEY_FLE', 'MIRROR_KEY_FILE'],
    ['PASSPORTD_REQUIRE_API_KEY', 'REQUIRE_API_KEY'],
    ['passportd_database_url_file', 'DATABASE_URL_FILE'],
    ['REQUIRE_API_KEY_FILE', 'REQUIRE_API_KEY'],
    ['TLSCERT', 'TLS_CERT'],
  ])('every command refuses %s and suggests %s', async (name, meant) => {
    for (const command of ['serve', 'keys list', 'mirror https://example.com']) {
      expect(await callHere(command.split(' '), { env: { PORT: '0', [name]: 'true' } })).toEqual({
        out: '',
        err: `passportd: ${name} is not a setting: did you mean ${meant}?\n`,
        code: 2,
      })
    }
  })

  test('variables of other programs and empty variables do not stop a command', () => {
    const env = {
      REQUIRE_APIKEY: '',
      HOSTS: 'a',
      POST: '1',
      RULE: 'x',
      HTTP2: '1',
      TIER: 'production',
      RULES_FILE: 'x',
      // Kubernetes sets this for a service with the name passportd.
      PASSPORTD_PORT: 'tcp://10.0.0.1:8080',
      HOSTNAME: 'x',
      // A setting of earlier versions.
      REDIS_URL: 'redis://cache:6379',
      METRICS_ENABLED: '1',
      DATABASE_HOST: 'x',
      DATABASE_URL: 'sqlite:x.db',
      // Resembles DATABASE_URL, which is set.
      DB_URL: 'x',
    }
    expect(readConfig(env, {}).database).toEqual({ engine: 'sqlite', path: 'x.db' })
  })
})
