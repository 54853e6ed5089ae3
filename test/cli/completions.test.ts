import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMANDS } from '../../src/cli/commands.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { runHere } from '../support/terminal.ts'

const NAMES = Object.keys(COMMANDS)
const scriptOf = async (shell: string) => (await runHere(['completions', shell])).out

test('bash completes every command, its actions and its options', async () => {
  const script = await scriptOf('bash')
  const complete = (...words: string[]) => {
    const ask = `${script}
COMP_WORDS=(passportd ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _passportd; printf '%s\\n' "\${COMPREPLY[@]}"`
    return Bun.spawnSync(['bash', '--norc', '-c', ask]).stdout.toString().trim().split('\n')
  }
  expect(complete('')).toEqual(expect.arrayContaining([...NAMES, '--help', '--version']))
  expect(complete('ba')).toEqual(['backup'])
  expect(complete('keys', '')).toEqual(
    expect.arrayContaining(['create', 'list', 'rotate', 'revoke', '--name', '--help']),
  )
  expect(complete('serve', '--w')).toEqual(['--workers'])
  expect(complete('nothing', '')).toEqual([''])
})

test.each(['zsh', 'fish'])('the %s script is valid and contains every command', async (shell) => {
  const script = await scriptOf(shell)
  for (const name of NAMES) expect(script).toMatch(new RegExp(`\\b${name}\\b`))
  // The shell may not be installed here.
  if (!Bun.which(shell)) return
  using folder = tempFolder()
  const path = join(folder.path, 'script')
  writeFileSync(path, script)
  expect(Bun.spawnSync([shell, '-n', path])).toMatchObject({ exitCode: 0 })
})
