import { SETTINGS } from '../config/settings.ts'
import { type Command, nameOption, usageOf } from './command.ts'

const WIDTH = 80

export function programHelp(commands: readonly Command[]): string {
  return `passportd: professional-reputation records over HTTP

Usage
  passportd COMMAND [options]
  passportd COMMAND --help             usage and options of a command
  passportd --version

Commands
${columns(commands.map(({ name, summary }) => [name, summary]))}
Environment (also read from the file .env in the working directory)
${columns(Object.entries(SETTINGS).map(([name, { about, initial }]) => [name, `${about} (${initial})`]))}
  DATABASE_URL, DATABASE_READ_URL, MIRROR_KEY and SIGNING_KEYS may come from a
  file: DATABASE_URL_FILE and so on are its path.

Exit codes
  0 success   1 failure   2 invalid command line or settings
`
}

export function commandHelp(command: Command): string {
  const { name, summary, description = '', forms, options, examples = [] } = command
  const usage = forms.map((form) => {
    const about = form.about === undefined ? '' : wrap(form.about.split(' '), 6)
    return wrap(usageOf(command, form), 2, 6) + about
  })
  const paragraphs = description === '' ? [] : description.split('\n\n')
  const described = Object.entries(options).map(([option, declaration]): [string, string] => {
    const initial = declaration.default === undefined ? '' : ` (default: ${declaration.default})`
    return [nameOption(option, declaration), `${declaration.about}${initial}`]
  })
  return [
    `passportd ${name}: ${summary}\n`,
    `Usage\n${usage.join('')}`,
    ...paragraphs.map((paragraph) => wrap(paragraph.split(/\s+/), 2)),
    ...(described.length > 0 ? [`Options\n${columns(described)}`] : []),
    ...(examples.length > 0 ? [`Examples\n${examples.map((line) => `  ${line}\n`).join('')}`] : []),
  ].join('\n')
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 4
  return rows
    .map(([name, about]) => wrap([`  ${name}`.padEnd(width - 1), ...about.split(' ')], 0, width))
    .join('')
}

/** Fills lines with `parts`, which are never split. */
function wrap(parts: readonly string[], indent: number, nextIndent = indent): string {
  const lines: string[] = []
  let line = ' '.repeat(indent) + parts[0]
  for (const part of parts.slice(1)) {
    if (line.length + 1 + part.length <= WIDTH) line += ` ${part}`
    else {
      lines.push(line)
      line = ' '.repeat(nextIndent) + part
    }
  }
  return [...lines, line].map((text) => `${text.trimEnd()}\n`).join('')
}
