import { describe, expect, test } from 'bun:test'
import { runHere } from '../support/terminal.ts'

/** A line is split at its spaces. */
const REFUSED: [line: string | string[], sentence: string][] = [
  ['dance', 'There is no command "dance". See "passportd --help".'],
  ['serve --fast', `Unknown option '--fast'. See "passportd serve --help".`],
  ['serve now', `Unexpected argument 'now'. See "passportd serve --help".`],
  ['serve --workers 0', '--workers must be a whole number from 1 to 64, got "0".'],
  ['keys', 'Say what to do: passportd keys create, list, set, rotate or revoke.'],
  ['keys steal', 'There is no "keys steal": use create, list, set, rotate or revoke.'],
  ['keys create', 'Say whose key it is: --name NAME.'],
  [['keys', 'create', '--name', ' '], 'Say whose key it is: --name NAME.'],
  [['keys', 'create', '--name', 'a\nb'], '--name must be one line of at most 100 characters.'],
  ['keys create --name a\u202eb', '--name must be one line of at most 100 characters.'],
  ['keys create me', `Unexpected argument 'me'. See "passportd keys --help".`],
  ['keys create --name', `Option '--name <value>' argument missing. See "passportd keys --help".`],
  ['keys create --name a --expires soon', 'got "soon".'],
  ['keys create --name a --expires 2020-01-01', 'got "2020-01-01".'],
  ['keys create --name a --expires 2099-02-30', 'got "2099-02-30".'],
  ['keys create --name a --grace 1d', '--grace is not for "keys create". See "passportd keys --help".'],
  [
    'keys create --name a --tier anonymous',
    '--tier must be one of standard, high, unlimited, got "anonymous".',
  ],
  ['keys create --name a --owner ada', '--owner must be an e-mail address, such as'],
  ['keys create --name a --owner a@b.c\u0007', '--owner must be an e-mail address'],
  ['keys set x', 'Say what to change: --tier NAME, --owner EMAIL or --name NAME.'],
  ['keys set x --tier gold', '--tier must be one of standard, high, unlimited, got "gold".'],
  ['keys rotate', 'Name the key: passportd keys rotate ID. "keys list" shows the ids.'],
  ['keys rotate x --grace -1', `Option '--grace' argument is ambiguous. See "passportd keys --help".`],
  ['keys rotate x --grace 7', '--grace must be a time of at most a year, such as 7d, 12h'],
  ['keys rotate x --grace 9999d', 'got "9999d".'],
  ['keys list all', `Unexpected argument 'all'. See "passportd keys --help".`],
  ['usage --json --csv', 'Choose one of --json and --csv.'],
  ['usage --since monday', '--since must be a day, in UTC, such as 2026-01-31, got "monday".'],
  ['usage --until 2026-02-30', '--until must be a day, in UTC, such as 2026-01-31, got "2026-02-30".'],
  ['usage --since 2026-02-02 --until 2026-02-01', '2026-02-02 is later than 2026-02-01.'],
  ['openapi now', `Unexpected argument 'now'. See "passportd openapi --help".`],
  ['import', 'Name the files, or - for standard input: passportd import FILE...'],
  ['export a b', `Unexpected argument 'b'. See "passportd export --help".`],
  ['mirror', 'Name the service to copy: passportd mirror URL.'],
  ['mirror example', '"example" is no http or https address.'],
  ['mirror ftp://127.0.0.1', '"ftp://127.0.0.1" is no http or https address.'],
  ['mirror http://a:b@127.0.0.1', 'The address must hold no user name or password: give a key with --key.'],
  ['mirror http://127.0.0.1 --rate 0', '--rate must be a number from 0.001 to 100000, got "0".'],
  ['mirror http://127.0.0.1 --rate fast', '--rate must be a number from 0.001 to 100000, got "fast".'],
  ['mirror http://127.0.0.1 --concurrency ', '--concurrency must be a number from 1 to 256, got "".'],
  [['mirror', 'http://127.0.0.1', '--key', 'se\ncret'], 'The key has characters that no key has.'],
  ['copy', 'Name both databases'],
  ['copy sqlite:a.db', 'Name both databases'],
  ['copy sqlite:a.db mysql://me:secret@host/x', 'got "mysql://…@host/x".'],
  ['copy sqlite:a.db sqlite:a.db', 'cannot be copied to itself'],
  ['explain', 'Name the passport, by id or wallet: passportd explain ID.'],
  ['merge 1', 'Name the passport by its id: passportd merge FROM INTO.'],
  ['merge 1 x', '"x" is no passport id: passportd merge FROM INTO.'],
  ['merge 1 2 3', "Unexpected argument '3'."],
  ['merge 1 2 --undo', "Unexpected argument '2'."],
  ['remove', 'Name the passport by its id: passportd remove ID.'],
  ['rules', 'Say what to do: passportd rules check FILE, or rules show.'],
  ['completions', 'Name a shell: bash, zsh, fish. See "passportd completions --help".'],
  ['completions __proto__', 'Name a shell: bash, zsh, fish.'],
  ['mcp --port 1', '--port is for HTTP: passportd mcp --http --port N.'],
  ['mcp --http --port 70000', '--port must be a port from 0 to 65535, got "70000".'],
  ['retire dance', 'use show, set, brownout, exempt, report, rehearse or clear.'],
  ['retire show --yes', '--yes is not for "retire show". See "passportd retire --help".'],
  ['retire report --sunset 2027-01-01', '--sunset is not for "retire report".'],
  ['retire set', 'Say what to set'],
  ['retire set --sunset soon', '--sunset must be a day or an instant'],
  ['retire set --sunset 2027-02-30', '--sunset must be a day or an instant'],
  [
    'retire set --successor javascript:alert(1)',
    '--successor must be an address such as https://example.com/v2',
  ],
  ['retire set --successor https://a/"><script>alert(1)</script>', '--successor must be an address'],
  ["retire set --notice https://a/'onclick='x", '--notice must be an address'],
  ['retire set --notice https://a:b@example.com', '--notice must be an address'],
  ['retire brownout', 'Say what to do: passportd retire brownout add, list or remove.'],
  ['retire brownout add', 'Say when it begins, such as 2026-12-01T09:00Z.'],
  ['retire brownout add tomorrow 2h', 'got "tomorrow"'],
  ['retire brownout add 2027-01-01', 'Say how long it lasts'],
  ['retire brownout add 2027-01-01 59s', 'from 1m to 31d'],
  ['retire brownout add 2027-01-01 32d', 'from 1m to 31d'],
  ['retire brownout add 2027-01-01 2h 3h', "Unexpected argument '3h'"],
  ['retire exempt', 'Name the key'],
  ['retire rehearse', 'Say for when'],
  ['retire rehearse then', 'got "then"'],
  ['retire report --since 2026-01-03', '--since must be a day that has come'],
  ['retire clear', 'Add --yes if that is meant.'],
]

describe('a command line that is wrong is refused before a database is touched', () => {
  test.each(REFUSED)('%p', async (line, sentence) => {
    const args = typeof line === 'string' ? line.split(' ') : line
    const env = { DATABASE_URL: 'sqlite:/dev/null/x.db' }
    const error: Error = await runHere(args, { env }).then(
      () => new Error('It was accepted.'),
      (error) => error,
    )
    expect([error.name, error.message]).toEqual(['UsageError', expect.stringContaining(sentence)])
    expect(error.message).not.toContain('\n')
    expect(error.message).not.toContain('secret')
  })
})
