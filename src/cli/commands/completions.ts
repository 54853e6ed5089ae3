import { parseOptions, UsageError } from '../args.ts'
import { COMMAND_HELP, summaryOf } from '../command-help.ts'
import type { Terminal } from '../terminal.ts'

/** What may follow each command, and what it is for, as its help has it. */
function readCommands(): { name: string; about: string; words: string[] }[] {
  return Object.entries(COMMAND_HELP)
    .map(([name, text]) => {
      const inner = [...text.matchAll(new RegExp(`passportd ${name} ([a-z]+)`, 'g'))].map(
        (match) => match[1] as string,
      )
      const options = text.match(/--[a-z][a-z-]*/g) ?? []
      return { name, about: summaryOf(text), words: [...new Set([...inner, ...options, '--help'])] }
    })
    .toSorted((a, b) => a.name.localeCompare(b.name))
}

type Commands = ReturnType<typeof readCommands>

const names = (commands: Commands) => commands.map(({ name }) => name).join(' ')

const SCRIPTS: Record<string, (commands: Commands) => string> = {
  bash: (commands) => `_passportd() {
  local candidates=""
  case "\${COMP_WORDS[1]}" in
${commands.map(({ name, words }) => `    ${name}) candidates="${words.join(' ')}" ;;`).join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then candidates="${names(commands)} --help --version"; fi
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _passportd passportd
`,
  zsh: (commands) => `#compdef passportd
_passportd() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map(({ name, about }) => `      ${quote(`${name}:${about}`)}`).join('\n')}
    )
    _describe command commands
    return
  fi
  case "$words[2]" in
${commands.map(({ name, words }) => `    ${name}) compadd -- ${words.join(' ')} ;;`).join('\n')}
  esac
  _files
}
compdef _passportd passportd
`,
  fish: (commands) =>
    commands
      .flatMap(({ name, about, words }) => [
        `complete -c passportd -n __fish_use_subcommand -a ${name} -d ${quote(about)}`,
        `complete -c passportd -n '__fish_seen_subcommand_from ${name}' -a '${words.join(' ')}'`,
      ])
      .join('\n')
      .concat('\n'),
}

const quote = (text: string) => `'${text.replaceAll("'", '’')}'`

export function completions(args: string[], { out }: Terminal): void {
  const { positionals } = parseOptions('completions', args, {}, 1)
  const [shell = ''] = positionals
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
  if (!script)
    throw new UsageError(
      `Name a shell: ${Object.keys(SCRIPTS).join(', ')}. See "passportd completions --help".`,
    )
  out(script(readCommands()))
}
