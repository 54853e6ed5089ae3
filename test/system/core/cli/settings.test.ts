import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../../support/cli.ts'
import { callHere } from '../../../support/cli-in-process.ts'
import { readConfig } from '../../../support/program/settings.ts'
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
      code: 1,
    })
  })

  test('a folder with the name .env is reported in one sentence', async () => {
    using folder = tempFolder()
    mkdirSync(join(folder.path, '.env'))
    expect(await run(['--version'], { cwd: folder.path })).toEqual({
      out: '',
      err: 'passportd: .env cannot be read: illegal operation on a directory (EISDIR).\n',
      code: 1,
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
    ['REDIS_URL_FLE', 'REDIS_URL_FILE'],
    ['PASSPORTD_REQUIRE_API_KEY', 'REQUIRE_API_KEY'],
    ['passportd_database_url_file', 'DATABASE_URL_FILE'],
    ['REQUIRE_API_KEY_FILE', 'REQUIRE_API_KEY'],
    ['HTTP_3', 'HTTP3'],
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
      REDIS_HOST: 'x',
      REDIS_PORT: '1',
      METRICS_ENABLED: '1',
      DATABASE_HOST: 'x',
      DATABASE_URL: 'sqlite:x.db',
      // Resembles DATABASE_URL, which is set.
      DB_URL: 'x',
    }
    expect(readConfig(env, {}).database).toEqual({ engine: 'sqlite', path: 'x.db' })
  })
})
