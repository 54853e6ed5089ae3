import { type Command, defineCommand, UsageError } from './command.ts'

type Completion = { name: string; summary: string; words: string[] }

function toCompletion({ name, summary, forms, options }: Command): Completion {
  const actions = forms.flatMap(({ action = '' }) => action.split(' ')).filter((word) => word !== '')
  const flags = Object.keys(options).map((option) => `--${option}`)
  return { name, summary, words: [...new Set([...actions, ...flags, '--help'])] }
}

const SCRIPTS: Record<string, (commands: readonly Completion[]) => string> = {
  bash: (commands) => `_passportd() {
  local candidates=""
  case "\${COMP_WORDS[1]}" in
${commands.map(({ name, words }) => `    ${name}) candidates="${words.join(' ')}" ;;`).join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then candidates="${commands.map(({ name }) => name).join(' ')} --help --version"; fi
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _passportd passportd
`,
  zsh: (commands) => `#compdef passportd
_passportd() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map(({ name, summary }) => `      ${quoteForShell(`${name}:${summary}`)}`).join('\n')}
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
      .flatMap(({ name, summary, words }) => [
        `complete -c passportd -n __fish_use_subcommand -a ${name} -d ${quoteForShell(summary)}`,
        `complete -c passportd -n '__fish_seen_subcommand_from ${name}' -a '${words.join(' ')}'`,
      ])
      .join('\n')
      .concat('\n'),
}

const quoteForShell = (text: string) => `'${text.replaceAll("'", '’')}'`

/** `loadCommands` loads all commands, this one included. */
export const createCompletions = (loadCommands: () => Promise<Command[]>) =>
  defineCommand({
    name: 'completions',
    summary: 'print a completion script for a shell',
    description: 'The script completes a program called passportd, which "npm run build" makes.',
    options: {},
    forms: [{ args: 'SHELL', about: 'bash, zsh or fish' }],
    examples: [
      'passportd completions bash > ~/.local/share/bash-completion/completions/passportd',
      'passportd completions zsh > FOLDER_OF_FPATH/_passportd',
      'passportd completions fish > ~/.config/fish/completions/passportd.fish',
    ],
    async run({ args: [shell = ''] }, terminal) {
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
      if (!script)
        throw new UsageError(`SHELL must be one of ${Object.keys(SCRIPTS).join(', ')}, got "${shell}".`)
      const commands = (await loadCommands()).map(toCompletion)
      terminal.out(script(commands.toSorted((a, b) => a.name.localeCompare(b.name))))
    },
  })
