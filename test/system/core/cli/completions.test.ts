import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runHere } from '../../../support/cli-in-process.ts'
import { COMMANDS } from '../../../support/program/commands.ts'
import { hasPrograms } from '../../../support/programs.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

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
  expect(complete('bac')).toEqual(['backup'])
  expect(complete('keys', '')).toEqual(
    expect.arrayContaining(['create', 'list', 'rotate', 'revoke', '--name', '--help']),
  )
  expect(complete('serve', '--w')).toEqual(['--workers'])
  expect(complete('nothing', '')).toEqual([''])
})

for (const shell of ['zsh', 'fish'] as const) {
  test(`the ${shell} script contains every command`, async () => {
    const script = await scriptOf(shell)
    for (const name of NAMES) expect(script).toMatch(new RegExp(`\\b${name}\\b`))
  })

  test.if(hasPrograms(shell))(`${shell} accepts its script`, async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'script')
    writeFileSync(path, await scriptOf(shell))
    expect(Bun.spawnSync([shell, '-n', path])).toMatchObject({ exitCode: 0 })
  })
}
