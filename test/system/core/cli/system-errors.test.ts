import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMAND, resultOf } from '../../../support/cli.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { hasPrograms } from '../../../support/programs.ts'
import { databaseMaker } from '../../../support/store/engines.ts'
import { INVENTED } from '../../../support/store/json-lines.ts'
import { PEOPLE } from '../../../support/store/records.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

const sqlite = databaseMaker('sqlite')

/** Runs a shell line in which `passportd` is the program. */
function shell(line: string, { cwd, env }: { cwd: string; env: Record<string, string> }) {
  const script = `set -o pipefail; passportd() { ${COMMAND.map((word) => `'${word}'`).join(' ')} "$@"; }; ${line}`
  const child = Bun.spawn(['bash', '-c', script], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  return resultOf(child)
}

test.each(['export', 'usage --json', '--help'])(
  '%s reports a full standard output in one sentence',
  async (command) => {
    await using here = await workplace(sqlite, { records: PEOPLE })
    const { err, code } = await shell(`passportd ${command} > /dev/full`, here)
    expect({ err, code }).toEqual({
      err: 'passportd: Standard output cannot be written: no space left on device (ENOSPC).\n',
      code: 1,
    })
  },
)

test.each(['openapi', 'export'])(
  '%s ends silently and with code 0 if the reader closes the pipe',
  async (command) => {
    await using here = await workplace(sqlite, { records: INVENTED.slice(0, 100) })
    const { out, err, code } = await shell(`passportd ${command} | head -1 | cut -c1-1`, here)
    expect({ out, err, code }).toEqual({ out: expect.stringMatching(/^.\n$/), err: '', code: 0 })
  },
)

test('a full standard error does not stop a command', async () => {
  await using here = await workplace(sqlite, { records: PEOPLE })
  expect(await shell('passportd export 2> /dev/full > /dev/null', here)).toMatchObject({ code: 0 })
  expect(await shell('passportd nonsense 2> /dev/full', here)).toMatchObject({ code: 2 })
})

test('a folder instead of a file is reported in one sentence', async () => {
  await using here = await workplace(sqlite, { records: PEOPLE, files: { 'a.jsonl': 'x\n' } })
  mkdirSync(here.path('folder'))
  const commands = [
    'import folder',
    'import --rejects folder a.jsonl',
    'export folder',
    'backup folder',
    'restore folder',
    'rules check folder',
  ]
  for (const command of commands) {
    const args = command.split(' ').map((word) => (/folder|jsonl/.test(word) ? here.path(word) : word))
    const { out, err, code } = await here.call(...args)
    expect({ command, out, code }).toEqual({ command, out: '', code: 1 })
    expect(err).toMatch(/^passportd: [^\n]*folder[^\n]*\.\n$/)
  }
})

const isRoot = process.getuid?.() === 0

test.if(!isRoot || hasPrograms('setpriv'))(
  'a folder without permission is reported in one sentence, and as a problem by doctor',
  async () => {
    using folder = tempFolder()
    const locked = join(folder.path, 'locked')
    mkdirSync(locked)
    writeFileSync(join(folder.path, 'a.jsonl'), 'x\n')
    chmodSync(locked, 0o000)
    chmodSync(folder.path, 0o777)
    // Root can enter every folder unless it drops these capabilities. As another user, it might not read our code.
    const rights = '-dac_override,-dac_read_search'
    const limit = isRoot ? ['setpriv', `--bounding-set=${rights}`, `--inh-caps=${rights}`] : []
    const call = async (database: string, args: string) => {
      const child = Bun.spawn([...limit, ...COMMAND, ...args.split(' ')], {
        cwd: folder.path,
        env: { PATH: process.env.PATH ?? '', DATABASE_URL: `sqlite:${database}` },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      return { args, ...(await resultOf(child)) }
    }
    const inside = join(locked, 'x.db')
    expect(await call('own.db', 'import a.jsonl')).toMatchObject({ code: 1 })
    for (const [database, args] of [
      [inside, 'keys list'],
      [inside, 'serve'],
      [inside, 'restore a.jsonl'],
      ['own.db', `backup ${inside}`],
      ['own.db', `import ${inside}`],
      ['own.db', `import --rejects ${inside} a.jsonl`],
      ['own.db', `rules check ${inside}`],
    ] as const) {
      const err = expect.stringMatching(/^passportd: [^\n]*locked\/x\.db[^\n]*\n$/)
      expect(await call(database, args)).toEqual({ args, out: '', err, code: 1 })
    }
    const doctor = await call(inside, 'doctor --json')
    expect(doctor).toMatchObject({ code: 1 })
    expect(JSON.parse(doctor.out).findings).toContainEqual({
      level: 'problem',
      about: 'database',
      text: `${inside} cannot be read: permission denied (EACCES).`,
    })
  },
)
