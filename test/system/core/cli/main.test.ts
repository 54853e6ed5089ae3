import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { version } from '../../../../package.json'
import { MAIN, READING_COMMANDS, run } from '../../../support/cli.ts'
import { callHere, runHere } from '../../../support/cli-in-process.ts'
import { COMMANDS, PROGRAM } from '../../../support/program/commands.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

/** Shortens a command line to the name of the program. */
const nameOnly = (line: string) => line.replace(PROGRAM, 'passportd')

test('--help lists commands, settings and exit codes', async () => {
  const { out } = await runHere(['--help'])
  const words = [...Object.keys(COMMANDS), 'DATABASE_URL', 'Exit codes']
  for (const word of words) expect(out).toMatch(new RegExp(`^ *${word}\\b`, 'm'))
  expect(Math.max(...out.split('\n').map((line) => nameOnly(line).length))).toBeLessThanOrEqual(80)
  for (const args of [[], ['-h'], ['help']]) expect((await runHere(args)).out).toBe(out)
  expect((await runHere(['--version'])).out).toBe(`passportd ${version}\n`)
})

test.each(Object.keys(COMMANDS))(
  '%s --help shows its summary, in lines of at most 90 characters',
  async (command) => {
    const { out } = await runHere([command, '--help'])
    expect(out).toStartWith(`passportd ${command}: `)
    expect(Math.max(...out.split('\n').map((line) => nameOnly(line).length))).toBeLessThanOrEqual(90)
    expect((await runHere(['help', command])).out).toBe(out)
  },
)

test('an invalid command line is refused with one line and exit code 2, and creates no file', async () => {
  using folder = tempFolder()
  expect(await run(['keys', 'steal'], { cwd: folder.path })).toEqual({
    out: '',
    err: `passportd: There is no "keys steal": use one of create, list, set, rotate, revoke, purge. See "${PROGRAM} keys --help".\n`,
    code: 2,
  })
  expect([...new Bun.Glob('**').scanSync(folder.path)]).toEqual([])
})

test('output that exceeds the pipe buffer arrives completely, even if standard error uses the same pipe', async () => {
  using folder = tempFolder()
  const { out: whole } = await run(['openapi'], { cwd: folder.path })
  expect(whole.length).toBeGreaterThan(65_536)
  const line = [process.execPath, MAIN, 'openapi'].map((word) => `'${word}'`).join(' ')
  const shell = Bun.spawn(['sh', '-c', `${line} 2>&1 | cat`], { cwd: folder.path, stderr: 'ignore' })
  expect(await new Response(shell.stdout).text()).toBe(whole)
})

test('all invalid settings are reported together', async () => {
  const env = {
    PORT: '99999',
    HOST: 'not a host',
    DATABASE_URL: 'mysql://localhost/x',
    REQUIRE_API_KEY: 'perhaps',
    DEPRECATED_AT: 'long ago',
  }
  const { err, code } = await callHere(['serve'], { env })
  const lines = err.trimEnd().split('\n')
  expect([code, lines.length]).toEqual([2, 5])
  for (const [name, value] of Object.entries(env)) {
    expect(lines.find((line) => line.startsWith(`passportd: ${name} must be `))).toContain(`got "${value}"`)
  }
})

test.each([
  ...READING_COMMANDS,
  ['keys', 'create', '--demo', '--name', 'a'],
  ['keys', 'revoke', 'a'],
  ['retire', 'set', '--sunset', '2099-01-01'],
])('%s %s does not create a missing SQLite file', async (...args) => {
  using folder = tempFolder()
  const path = join(folder.path, 'data/none.db')
  expect(await callHere(args, { env: { DATABASE_URL: `sqlite:${path}` } })).toEqual({
    out: '',
    err: `passportd: There is no database ${path} yet: check DATABASE_URL, or create it with "serve" (the demo database with "serve --demo"), "import", "mirror", "copy" or "restore".\n`,
    code: 1,
  })
  expect([...new Bun.Glob('**').scanSync(folder.path)]).toEqual([])
})
