import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Command, nameOption, usageOf } from '../../src/cli/command.ts'
import { COMMANDS, loadCommands } from '../../src/cli/commands.ts'

const PATH = join(import.meta.dir, '../../docs/cli.md')

const commands = await loadCommands()

function tableOf(body: readonly string[][]): string {
  if (body.length === 0) return ''
  const rows = [['option', 'purpose'], ...body]
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[], fill = ' ') =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width, fill)).join(' | ')} |\n`
  return `\n${line(rows[0] ?? [])}${line([], '-')}${body.map((row) => line(row)).join('')}`
}

function toSection(command: Command): string {
  const { name, summary, forms, options } = command
  const uses = forms.map(
    (form) => `- \`${usageOf(command, form).join(' ')}\`${form.about ? `: ${form.about}` : ''}\n`,
  )
  const described = Object.entries(options)
    .filter(([option]) => option !== 'demo')
    .map(([option, each]) => {
      const initial = each.default === undefined ? '' : ` (default: \`${each.default}\`)`
      return [`\`${nameOption(option, each)}\``, each.about + initial]
    })
  return `\n## ${name}\n\n${summary[0]?.toUpperCase()}${summary.slice(1)}.\n\n${uses.join('')}${tableOf(described)}`
}

test('docs/cli.md matches the declarations of the commands', async () => {
  const page = `# Commands

\`passportd COMMAND --help\` prints the same. Commands with a database also accept \`--demo\`, which selects the demo database.
This page is generated: see [extend.md](extend.md).
${commands.map(toSection).join('')}`
  if (process.env.UPDATE_GOLDEN) await Bun.write(PATH, page)
  expect(await Bun.file(PATH).text()).toBe(page)
})

test('a command has the name under which it is listed, and declares every option of its forms', () => {
  expect(commands.map(({ name }) => name)).toEqual(Object.keys(COMMANDS))
  for (const { name, forms, options } of commands) {
    const used = forms.flatMap((form) => [...(form.options ?? []), ...(form.required ?? [])])
    expect([name, used.filter((option) => !(option in options))]).toEqual([name, []])
  }
})
