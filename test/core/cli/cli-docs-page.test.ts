import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Command, usageOf } from '../../../src/core/cli/command.ts'
import { COMMANDS, loadCommands } from '../../support/program/commands.ts'

const PATH = join(import.meta.dir, '../../../docs/cli.md')

const commands = await loadCommands(COMMANDS)

function toSection(command: Command): string {
  const { name, summary, forms } = command
  const uses = forms.map((form) => {
    const about = form.about === undefined ? '' : `: ${form.about}`
    const usage = usageOf(command, form)
      .join(' ')
      .replace(/^passportd /, '')
    return `- \`${usage}\`${about}\n`
  })
  return `\n## ${name}\n\n${summary[0]?.toUpperCase()}${summary.slice(1)}.\n\n${uses.join('')}`
}

test('docs/cli.md matches the declarations of the commands', async () => {
  const page = `# Commands

\`passportd COMMAND --help\` prints the same, and describes the options. Commands with a database also accept \`--demo\`, which selects
the demo database. \`source <(passportd completions bash)\` completes commands and options.
${commands.map(toSection).join('')}`
  if (process.env.UPDATE_GOLDEN) await Bun.write(PATH, page)
  expect(await Bun.file(PATH).text()).toBe(page)
})

test('a command has the name under which it is listed, and declares every option that its usage lines contain', () => {
  expect(commands.map(({ name }) => name)).toEqual(Object.keys(COMMANDS))
  for (const { name, forms, options } of commands) {
    const used = forms.flatMap((form) => [...(form.options ?? []), ...(form.required ?? [])])
    expect([name, used.filter((option) => !(option in options))]).toEqual([name, []])
  }
})
