import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { MAIN, run } from '../support/cli.ts'
import { tempFolder } from '../support/temp.ts'

describe('passportd', () => {
  test.each([[['--help']], [['-h']], [['help']], [[]]])('%p shows how it is used', async (args) => {
    using folder = tempFolder()
    const { out, err, code } = await run(args, { cwd: folder.path })
    expect(code).toBe(0)
    expect(err).toBe('')
    for (const word of ['serve', 'keys create', 'DATABASE_URL', 'Exit codes']) expect(out).toContain(word)
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  test('--version tells the version', async () => {
    using folder = tempFolder()
    expect(await run(['--version'], { cwd: folder.path })).toEqual({
      out: `passportd ${version}\n`,
      err: '',
      code: 0,
    })
  })

  test.each(['serve', 'keys', 'usage', 'openapi'])('%s --help shows how it is used', async (command) => {
    using folder = tempFolder()
    const { out, code } = await run([command, '--help'], { cwd: folder.path })
    expect(await run(['help', command], { cwd: folder.path })).toMatchObject({ out, code })
    expect(code).toBe(0)
    expect(out).toStartWith(`passportd ${command}:`)
  })

  test.each([
    [['dance'], 'There is no command "dance". See "passportd --help".'],
    [['serve', '--fast'], `Unknown option '--fast'. See "passportd serve --help".`],
    [['serve', 'now'], `Unexpected argument 'now'. See "passportd serve --help".`],
    [['serve', '--workers', '0'], '--workers must be a whole number from 1 to 64, got "0".'],
    [['keys'], 'Say what to do: passportd keys create, list, set, rotate or revoke.'],
    [['keys', 'steal'], 'There is no "keys steal": use create, list, set, rotate or revoke.'],
    [['keys', 'create'], 'Say whose key it is: --name NAME.'],
    [['keys', 'create', '--name', ' '], 'Say whose key it is: --name NAME.'],
    [['keys', 'create', '--name', 'a\nb'], '--name must be one line of at most 100 characters.'],
    [['keys', 'create', '--name', 'a\u202eb'], '--name must be one line of at most 100 characters.'],
    [['keys', 'create', 'me'], `Unexpected argument 'me'. See "passportd keys --help".`],
    [['keys', 'create', '--name'], `Option '--name <value>' argument missing. See "passportd keys --help".`],
    [['keys', 'create', '--name', 'a', '--expires', 'soon'], 'got "soon".'],
    [['keys', 'create', '--name', 'a', '--expires', '2020-01-01'], 'got "2020-01-01".'],
    [['keys', 'create', '--name', 'a', '--expires', '2099-02-30'], 'got "2099-02-30".'],
    [['keys', 'revoke'], 'Name the key: passportd keys revoke ID. "keys list" shows the ids.'],
    [
      ['keys', 'rotate', 'x', '--grace', '-1'],
      `Option '--grace' argument is ambiguous. See "passportd keys --help".`,
    ],
    [['usage', 'now'], `Unexpected argument 'now'. See "passportd usage --help".`],
    [['usage', '--json', '--csv'], 'Choose one of --json and --csv.'],
    [['usage', '--since', 'monday'], '--since must be a day, in UTC, such as 2026-01-31, got "monday".'],
    [
      ['usage', '--until', '2026-02-30'],
      '--until must be a day, in UTC, such as 2026-01-31, got "2026-02-30".',
    ],
    [
      ['usage', '--since', '2026-02-02', '--until', '2026-02-01'],
      '--since must not be later than --until: 2026-02-02 is later than 2026-02-01.',
    ],
    [['openapi', 'now'], `Unexpected argument 'now'. See "passportd openapi --help".`],
    [['keys', 'list', '--name', 'q'], '--name is not for "keys list". See "passportd keys --help".'],
    [['keys', 'create', '--name', 'a', '--grace', '1d'], '--grace is not for "keys create".'],
    [
      ['keys', 'create', '--name', 'a', '--tier', 'anonymous'],
      '--tier must be one of standard, high, unlimited, got "anonymous".',
    ],
    [['keys', 'create', '--name', 'a', '--owner', 'ada'], '--owner must be an e-mail address, such as'],
    [['keys', 'create', '--name', 'a', '--owner', 'a@b.c\u0007'], '--owner must be an e-mail address'],
    [['keys', 'set', 'x'], 'Say what to change: --tier NAME, --owner EMAIL or --name NAME.'],
    [['keys', 'set', 'x', '--name', ' '], '--name must be one line of at most 100 characters.'],
    [['keys', 'set', 'x', '--tier', 'gold'], '--tier must be one of standard, high, unlimited, got "gold".'],
    [['keys', 'rotate'], 'Name the key: passportd keys rotate ID. "keys list" shows the ids.'],
    [['keys', 'rotate', 'x', '--grace', '7'], '--grace must be a time of at most a year, such as 7d, 12h'],
    [['keys', 'rotate', 'x', '--grace', '9999d'], 'got "9999d".'],
    [['keys', 'rotate', 'x', '--tier', 'high'], '--tier is not for "keys rotate".'],
    [['keys', 'list', 'all'], `Unexpected argument 'all'. See "passportd keys --help".`],
  ])('%p is refused in one line, with exit code 2', async (args, sentence) => {
    using folder = tempFolder()
    const { out, err, code } = await run(args, { cwd: folder.path })
    expect({ out, code }).toEqual({ out: '', code: 2 })
    expect(err).toMatch(/^passportd: [^\n]+\n$/)
    expect(err).toContain(sentence)
    expect([...new Bun.Glob('**').scanSync(folder.path)]).toEqual([])
  })

  test('what is longer than a pipe has room for arrives whole, also where errors go the same way', async () => {
    using folder = tempFolder()
    const { out: whole } = await run(['openapi'], { cwd: folder.path })
    expect(whole.length).toBeGreaterThan(65_536)
    const line = [process.execPath, MAIN, 'openapi'].map((word) => `'${word}'`).join(' ')
    const shell = Bun.spawn(['sh', '-c', `${line} 2>&1 | cat`], { cwd: folder.path, stderr: 'ignore' })
    expect(await new Response(shell.stdout).text()).toBe(whole)
  })

  test('all that is wrong with the environment is said at once', async () => {
    using folder = tempFolder()
    const env = {
      PORT: '99999',
      HOST: 'not a host',
      DATABASE_URL: 'mysql://localhost/x',
      REQUIRE_API_KEY: 'perhaps',
      DEPRECATED_AT: 'long ago',
    }
    const { err, code } = await run(['serve'], { cwd: folder.path, env })
    expect(code).toBe(2)
    const lines = err.trimEnd().split('\n')
    expect(lines).toHaveLength(5)
    for (const [name, value] of Object.entries(env)) {
      expect(lines.find((line) => line.startsWith(`passportd: ${name} must be `))).toContain(`got "${value}"`)
    }
  })

  test('a password in an address is not repeated', async () => {
    using folder = tempFolder()
    const env = { DATABASE_URL: 'mysql://me:secret@host/x' }
    const { err } = await run(['serve'], { cwd: folder.path, env })
    expect(err).toContain('got "mysql://…@host/x"')
    expect(err).not.toContain('secret')
  })

  test('a file that is no database is one clear sentence', async () => {
    using folder = tempFolder()
    writeFileSync(join(folder.path, 'x.db'), 'x'.repeat(5000))
    const { out, err, code } = await run(['serve'], {
      cwd: folder.path,
      env: { DATABASE_URL: 'sqlite:x.db' },
    })
    expect({ out, code }).toEqual({ out: '', code: 1 })
    expect(err).toBe(
      'passportd: x.db is damaged or not a database: restore it from a backup, or name another file in DATABASE_URL.\n',
    )
  })

  test('a folder that cannot be written to is one clear sentence', async () => {
    using folder = tempFolder()
    const { err, code } = await run(['keys', 'create', '--name', 'a'], {
      cwd: folder.path,
      env: { DATABASE_URL: 'sqlite:/proc/passportd/x.db' },
    })
    expect(code).toBe(1)
    expect(err).toMatch(/^passportd: The folder \/proc\/passportd cannot be made: [^\n]+\n$/)
  })
})
