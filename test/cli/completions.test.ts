import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../support/cli.ts'
import { tempFolder } from '../support/temp.ts'

const COMMANDS = [
  ...readFileSync(join(import.meta.dir, '../../src/cli/main.ts'), 'utf8').matchAll(
    /^ {2}(\w+): async \(\) => \(await import/gm,
  ),
].map((match) => match[1] as string)

async function scriptOf(shell: string): Promise<string> {
  using folder = tempFolder()
  const { out, err, code } = await run(['completions', shell], { cwd: folder.path })
  expect({ err, code }).toEqual({ err: '', code: 0 })
  return out
}

test('bash completes every command, and the words of each', async () => {
  const script = await scriptOf('bash')
  const complete = (...words: string[]) => {
    const ask = `${script}
COMP_WORDS=(passportd ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _passportd; printf '%s\\n' "\${COMPREPLY[@]}"`
    return Bun.spawnSync(['bash', '--norc', '-c', ask]).stdout.toString().trim().split('\n')
  }
  expect(COMMANDS.length).toBeGreaterThan(15)
  expect(complete('')).toEqual(expect.arrayContaining([...COMMANDS, '--help', '--version']))
  expect(complete('ba')).toEqual(['backup'])
  expect(complete('keys', '')).toEqual(
    expect.arrayContaining(['create', 'list', 'rotate', 'revoke', '--name', '--help']),
  )
  expect(complete('serve', '--w')).toEqual(['--workers'])
  expect(complete('nothing', '')).toEqual([''])
})

test.each(['zsh', 'fish'])('%s reads its script, and every command is in it', async (shell) => {
  const script = await scriptOf(shell)
  for (const name of COMMANDS) expect(script).toMatch(new RegExp(`\\b${name}\\b`))
  // Where it is installed.
  if (!Bun.which(shell)) return
  using folder = tempFolder()
  const path = join(folder.path, 'script')
  writeFileSync(path, script)
  expect(Bun.spawnSync([shell, '-n', path])).toMatchObject({ exitCode: 0 })
})

test.each([[], ['csh'], ['bash', 'zsh'], ['__proto__']])('%j names no shell', async (...args) => {
  using folder = tempFolder()
  const { err, code } = await run(['completions', ...args], { cwd: folder.path })
  expect({ err, code }).toEqual({
    err: 'passportd: Name a shell: bash, zsh, fish. See "passportd completions --help".\n',
    code: 2,
  })
})
