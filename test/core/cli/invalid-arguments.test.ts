import { afterAll, expect, test } from 'bun:test'
import { runHere } from '../../support/cli-in-process.ts'
import { openStore } from '../../support/store/open.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const REFUSED: [line: string | string[], sentence: string][] = [
  ['dance', '"dance" is not a known command: use serve, import, export, merge, remove, '],
  ['exprot', '"exprot" is not a known command: did you mean export? See "passportd --help".'],
  ['key', '"key" is not a known command: did you mean keys? See "passportd --help".'],
  [[`keys${'s'.repeat(60)}`], `"keys${'s'.repeat(36)}…" is not a known command: use serve, import, `],
  ['serve --fast', `Unknown option '--fast'. See "passportd serve --help".`],
  [
    'serve --port 8081',
    `Unknown option '--port'. PORT is a setting of the environment. See "passportd serve --help".`,
  ],
  ['--fast serve', `Unknown option '--fast'. See "passportd serve --help".`],
  ['remove 3', 'Nothing was removed: there is no passport 3 in '],
  ['serve --workers 0', '--workers must be a whole number from 1 to 64, got "0".'],
  ['serve --workers 65', 'got "65".'],
  ['serve --workers 007', 'got "007".'],
  ['serve --workers ', 'got "".'],
  ['serve now', `Unexpected argument 'now'. See "passportd serve --help".`],
  [
    'keys',
    'An action is missing: use one of create, list, set, rotate, revoke, purge. See "passportd keys --help".',
  ],
  ['keys create', 'The option --name is missing. Usage: passportd keys create --name NAME [--tier NAME]'],
  [['keys', 'create', '--name', ' '], '--name must be one line of 1 to 100 characters, got " ".'],
  ['keys create --name a\nb', '--name must be one line of 1 to 100 characters'],
  ['keys create --name a\u202eb', '--name must be one line of 1 to 100 characters'],
  ['keys create --name', `Option '--name <value>' argument missing. See "passportd keys --help".`],
  ['keys create --name a --expires 2020-01-01', 'got "2020-01-01T00:00:00.000Z".'],
  ['keys create --name a --expires 2099-02-30', 'got "2099-02-30".'],
  [
    'keys create --name a --grace 1d',
    '--grace is not accepted here. Usage: passportd keys create --name NAME [--tier NAME]',
  ],
  [
    'keys create --name a --tier anonymous',
    '--tier must be one of standard, high, unlimited (TIERS defines others), got "anonymous".',
  ],
  ['keys create --name a --owner ada', '--owner must be an email address, such as'],
  ['keys create --name a --owner a\u0007@example.com', '--owner must be an email address, such as'],
  ['keys create --name a --scope reed', ', got "reed".'],
  ['keys create --name a --scope read,write:GitHub', ', got "write:GitHub".'],
  ['keys create --name a --scope admin', '--scope must be a comma-separated list of read, events, write:* ('],
  ['keys create --name a --scope write', 'of the issuer NAME: a-z, 0-9, _ and -, at most 32), got "write".'],
  [`keys create --name a --scope write:${'a'.repeat(33)}`, ', got "write:aaaa'],
  [['keys', 'create', '--name', 'a', '--scope', ''], ', got "".'],
  [
    'keys create --name a --scope write:a,write:*',
    '--scope accepts only one scope that writes, got "write:a,write:*".',
  ],
  [
    ['keys', 'create', '--name', 'a', '--scope', 'write:a', '--types', 'a b'],
    '--types must be a comma-separated list of types of data points without blanks, such as github_commits, got "a b".',
  ],
  ['keys create --name a --types b', '--types is only for keys with the scope write:NAME'],
  ['keys create --name a --scope write:* --types b', '--types is only for keys with the scope write:NAME'],
  ['keys create --name a --publishable', '--publishable needs --origin LIST'],
  ['keys create --name a --origin https://a.example', '--origin is only for publishable keys'],
  [
    'keys create --name a --publishable --origin https://a.example --scope read,events',
    '--scope must be read for a publishable key, which anyone can copy, got "read,events".',
  ],
  ...[
    'a.example',
    'https://*.example',
    'https://a.example/path',
    'https://u:p@a.example',
    'http://a.example',
    'null',
    'https://a.example,',
  ].map((origin): [string, string] => [
    `keys create --name a --publishable --origin ${origin}`,
    `without a path or wildcard; http only for localhost, got "${origin}".`,
  ]),
  ['keys set x --publishable', '--publishable is not accepted here.'],
  [
    'keys set x',
    'needs at least one of --tier NAME, --owner EMAIL, --name NAME, --expires DATE, --scope LIST',
  ],
  ['keys rotate', 'The argument ID is missing. Usage: passportd keys rotate ID [--grace TIME]'],
  ['keys rotate x --grace -1', `Option '--grace' argument is ambiguous. See "passportd keys --help".`],
  ['keys rotate x --grace 7', '--grace must be a duration of at most a year, such as 7d, 12h'],
  ['keys rotate x --grace 9999d', 'got "9999d".'],
  ['usage --since monday', '--since must be a day in UTC, such as 2026-01-31, got "monday".'],
  ['usage --since 2026-02-02 --until 2026-02-01', '2026-02-02 is later than 2026-02-01.'],
  ['import', 'The argument FILE is missing. Usage: passportd import FILE...'],
  ['mirror example', 'URL must be an http or https URL, got "example".'],
  ['mirror http://a:b@127.0.0.1', 'URL must not contain a user name or password: pass a key with --key.'],
  ['mirror http://127.0.0.1 --rate 0', '--rate must be a number from 0.001 to 100000, got "0".'],
  ['mirror http://127.0.0.1 --concurrency ', '--concurrency must be a number from 1 to 256, got "".'],
  [['mirror', 'http://127.0.0.1', '--key', 'se\ncret'], 'The key must consist of visible ASCII characters.'],
  ['copy', 'The argument FROM_URL is missing, and COPY_FROM_URL is not set.'],
  ['copy sqlite:a.db', 'The argument TO_URL is missing, and COPY_TO_URL is not set.'],
  ['copy sqlite:a.db sqlite:b.db --forget', "Unexpected argument 'sqlite:b.db'."],
  ['copy sqlite:a.db mysql://me:secret@host/x', 'got "mysql://…@host/x".'],
  ['copy sqlite:a.db sqlite:a.db', 'cannot be copied to itself'],
  ['merge 1', 'The argument INTO is missing. Usage: passportd merge FROM INTO'],
  ['merge 1 x', 'A passport is named by its id, a whole number, got "x".'],
  ['rules', 'An action is missing: use one of check, diff, apply, rollback, list, show.'],
  ['completions __proto__', 'SHELL must be one of bash, zsh, fish, got "__proto__".'],
  [
    ['mcp', '--write', 'Git Hub'],
    '--write must be the name of an issuer, or * for all records, got "Git Hub"',
  ],
  ['retire dance', 'use one of show, set, brownout add, brownout remove, exempt, clear.'],
  ['retire show --yes', '--yes is not accepted here. Usage: passportd retire [show] [--json]'],
  ['retire set', 'needs at least one of --deprecated, --sunset, --successor and --notice.'],
  ['retire set --sunset soon', '--sunset must be a day or a time such as'],
  ['retire set --successor javascript:alert(1)', '--successor must be a URL such as https://example.com/v2'],
  ['retire set --successor https://a/"><script>alert(1)</script>', '--successor must be a URL'],
  ["retire set --notice https://a/'onclick='x", '--notice must be a URL'],
  ['retire set --notice https://a:b@example.com', '--notice must be a URL'],
  [
    'retire brownout add',
    'The argument START is missing. Usage: passportd retire brownout add START DURATION',
  ],
  ['retire brownout add tomorrow 2h', 'got "tomorrow"'],
  ['retire brownout add 2027-01-01 59s', 'from 1m to 31d'],
  ['retire brownout add 2027-01-01 32d', 'from 1m to 31d'],
  ['retire clear', '"retire clear" deletes the whole plan. Add --yes to confirm.'],
]

const folder = tempFolder()
const path = `${folder.path}/empty.db`
await (await openStore({ engine: 'sqlite', path })).database.close()
afterAll(() => folder[Symbol.dispose]())

test('"passportd version" prints the version, as --version does', async () => {
  expect((await runHere(['version'])).out).toBe((await runHere(['--version'])).out)
})

test.each(REFUSED)('%p is refused with a sentence that says what is accepted', async (line, sentence) => {
  const args = typeof line === 'string' ? line.split(' ') : line
  const env = { DATABASE_URL: `sqlite:${path}` }
  const error: Error = await runHere(args, { env }).then(
    () => new Error('The command line was accepted.'),
    (error) => error,
  )
  expect([error.name, error.message]).toEqual(['UsageError', expect.stringContaining(sentence)])
  expect(error.message).not.toContain('\n')
  expect(error.message).not.toContain('secret')
})
