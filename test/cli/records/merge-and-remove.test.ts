import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROGRAM } from '../../../src/version.ts'
import { READING_COMMANDS } from '../../support/cli.ts'
import { callHere } from '../../support/cli-in-process.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { type MakeDatabase, withEngine, withEveryEngine } from '../../support/store/engines.ts'
import { toLines } from '../../support/store/json-lines.ts'
import { record } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const LINES = [
  { passport_id: 1, passport_profile: { display_name: 'Ada' }, main_wallet: '0xAA', human_checkmark: true },
  {
    passport_id: 2,
    passport_profile: { display_name: 'Grace' },
    credentials: [
      { id: 'g', type: 'kites', name: 'Kites', category: 'Hobbies', score: 9, max_score: 5, value: 'red' },
    ],
  },
  { passport: 1, type: 'github', value: 1734, account: 'ada', display: '1734 contributions' },
  { passport: 1, type: 'github', value: 100, account: 'lovelace' },
  { passport: '0xaa', type: 'ens', value: '2020-01-01' },
  { passport: 1, type: 'unheard_of', value: true },
]

async function prepare(makeDatabase: MakeDatabase) {
  const here = await workplace(makeDatabase, { files: { 'people.jsonl': toLines(...LINES) } })
  expect((await here.call('import', here.path('people.jsonl'))).code).toBe(0)
  expect((await here.call('score')).code).toBe(0)
  return here
}

withEveryEngine('passports', (makeDatabase) => {
  test('the id and wallet of a merged passport find its survivor until the merge is undone', async () => {
    await using here = await prepare(makeDatabase)
    await using server = await here.listen()
    const idOf = async (ref: string) =>
      (
        (await (await fetch(`${server.url}/api/v1/passports/${ref}`)).json()) as {
          passport?: { passport_id: number }
        }
      ).passport?.passport_id
    expect(await here.call('merge', '1', '2')).toEqual({
      out: '',
      err: `Passport 1 now leads to 2. "${PROGRAM} merge 1 --undo" reverts this.\n`,
      code: 0,
    })
    expect([await idOf('1'), await idOf('0xaa')]).toEqual([2, 2])
    expect((await here.call('merge', '1', '--undo')).err).toBe('Passport 1 is separate again.\n')
    expect([await idOf('1'), await idOf('0xaa')]).toEqual([1, 1])
    expect((await here.call('remove', '1', '--yes')).err).toStartWith('Passport 1 is removed.')
    expect([await idOf('1'), await idOf('0xaa')]).toEqual([undefined, undefined])
    const again = await here.call('import', here.path('people.jsonl'))
    expect(again.err).toContain('4 of removed passports skipped (--restore accepts them)')
    expect(await idOf('1')).toBeUndefined()
    expect((await here.call('import', here.path('people.jsonl'), '--restore')).code).toBe(0)
    expect(await idOf('1')).toBe(1)
    expect((await here.call('remove', '9', '--yes')).err).toBe(
      'There is no passport 9 here. From now on only an import or mirror with --restore adds it.\n',
    )
    expect(await here.look(({ records }) => records.listRemovals())).toEqual([9])
  })
})

withEngine('sqlite', 'passports', (makeDatabase) => {
  test('explain shows how each credential contributes to the score', async () => {
    await using here = await prepare(makeDatabase)
    const { out, code } = await here.call('explain', '0xAA')
    expect(code).toBe(0)
    for (const part of [
      'Passport 1, Ada: 26\n',
      '0 activity + 5 identity + 21 skills, by rule set 2026-11+',
      'Known to be human: yes\n',
      'Skills: 21\n  GitHub      21 of 40  min(round(√1734 × 0.5), 40) = 21\n',
      '    ada                 1734 contributions: min(round(√1734 × 0.5), 40) = 21\n',
      '    lovelace            100: min(round(√100 × 0.5), 40) = 5\n',
      'Not scored\n  unheard_of    no rule for this type\n',
    ]) {
      expect(out).toContain(part)
    }
    expect(out).toMatch(
      /Identity: 5\n {2}ENS {2}5 of 5 {2}min\(round\([\d.]+ years since 2020-01-01 × 1\), 5\) = 5\n/,
    )
    expect((await here.call('explain', '2')).out).toContain('Kites  5 of 5  9 in the record, 5 at most = 5')

    const forPrograms = await here.json('explain', '1')
    expect(forPrograms).toMatchObject({
      passport_id: 1,
      name: 'Ada',
      rules: '2026-11',
      stamp: expect.stringMatching(/^2026-11\+\w{8}$/),
      scores: { total: 26, activity: 0, identity: 5, skills: 21 },
      human: true,
    })
    expect(forPrograms.credentials).toContainEqual(
      expect.objectContaining({ type: 'github', score: 21, max_score: 40, from: 'rule' }),
    )
  })

  test.each([
    [['explain', '99'], 'There is no passport 99 in DATABASE.'],
    [['merge', '1', '99'], 'There is no passport 99 here.'],
    [['merge', '1', '1'], 'A passport cannot be merged into itself.'],
    [['merge', '1', '--undo'], 'Passport 1 is not merged into another.'],
  ])('%p ends with exit code 1 and one sentence', async (args, sentence) => {
    await using here = await workplace(makeDatabase, { records: [record(1), record(2)] })
    await here.refuses(`passportd: ${sentence.replace('DATABASE', here.database)}\n`, ...args)
  })

  test('untrusted text cannot send control characters to the terminal', async () => {
    const evil = '\u001b[2J\u202eevil'
    const lines = [
      { passport_id: 1, passport_profile: { display_name: evil }, main_wallet: `0x${evil}` },
      { passport_id: 2, main_wallet: `0x${evil}` },
      { passport: 1, type: 'github', value: 4, account: evil, display: evil },
      { passport: 1, type: 'github', value: 5, account: 'b' },
    ]
    await using here = await workplace(makeDatabase, { files: { 'evil.jsonl': toLines(...lines) } })
    const imported = await here.call('import', here.path('evil.jsonl'))
    expect(imported.err).toContain('main_wallet: wallet 0x')
    const explained = await here.call('explain', '1')
    expect(explained.out).toContain('evil')
    for (const text of [imported.err, explained.out]) expect(text).not.toMatch(/[^\n\P{Cc}]|\u202e/u)
  })
})

withEngine('sqlite', 'remove', (makeDatabase) => {
  test('remove without --yes says what it would remove, and changes nothing', async () => {
    await using here = await workplace(makeDatabase, { records: [record(1)] })
    const merged = `and the passports merged into it from ${here.database}.`
    await here.refuses(
      `Nothing was removed: --yes removes passport 1 (without a name) ${merged}`,
      'remove',
      '1',
    )
    await here.refuses('--yes makes later imports and mirrors skip it.', 'remove', '9')
    expect(await here.look((store) => store.passports.count())).toBe(1)
    expect(await here.look((store) => store.records.listRemovals())).toEqual([])
  })
})

withEveryEngine('a removal in a file', (makeDatabase) => {
  test('a removal cancels all earlier lines about the passport and the passports merged into it, even with --restore', async () => {
    await using here = await workplace(makeDatabase, {
      files: {
        'before.jsonl': toLines(
          { passport_id: 3 },
          { passport_id: 5, merged_into: 3 },
          { passport_id: 9, main_wallet: '0xw' },
        ),
        'after.jsonl': toLines(
          // Passport 9 has this wallet until the last line. By then, the line that removes passport 4 has replaced this one.
          { passport_id: 4, main_wallet: '0xw' },
          { passport_id: 5, main_wallet: '0xw', merged_into: 3 },
          { passport_id: 4, removed: true },
          { passport_id: 3, removed: true },
          { passport_id: 9, main_wallet: '0xz' },
        ),
        'again.jsonl': toLines(
          { passport_id: 4, removed: true },
          { passport_id: 4, main_wallet: '0xz' },
          { passport_id: 9, main_wallet: '0xy' },
        ),
      },
    })
    const importFile = (name: string, ...options: string[]) =>
      here.call('import', here.path(name), ...options)
    const ids = async () => (await here.look(({ records }) => records.list(-1, 9))).map(({ id }) => id)
    await importFile('before.jsonl')
    const { err, code } = await importFile('after.jsonl', '--restore')
    expect(err).toBe('5 lines: 0 added, 3 changed, 0 unchanged, 2 replaced by a later line.\n')
    expect(code).toBe(0)
    expect(await ids()).toEqual([9])
    // A line after the removal restores the passport.
    expect((await importFile('again.jsonl', '--restore')).code).toBe(0)
    expect(await ids()).toEqual([4, 9])
  })
})

test('the built-in rule set passes "rules check"', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  const { out } = await callHere(['rules', 'show', '--built-in'])
  writeFileSync(join(cwd, 'mine.json'), out)
  expect(await callHere(['rules', 'check', 'mine.json'], { cwd })).toEqual({
    out: 'mine.json is a valid rule set: version 2026-11, 46 types, 5 levels.\n',
    err: '',
    code: 0,
  })
})

test('rules check counts all problems, and shows the first 100', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  const check = async (name: string, contents?: object) => {
    if (contents) writeFileSync(join(cwd, name), JSON.stringify(contents))
    const { err, code } = await callHere(['rules', 'check', name], { cwd })
    expect(code).toBe(1)
    return err
  }
  const few = await check('few.json', { version: '1', types: { a: { name: 'A', max_score: -1 } } })
  expect(few).toContain('few.json: types.a.category is missing.\n')
  expect(few).toContain('few.json: types.a.max_score must be at least 0, got -1.\n')
  expect(few).toEndWith('passportd: few.json has 6 problems.\n')
  const types = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`type${at}`, 1]))
  const lines = (await check('many.json', { version: '1', types })).trimEnd().split('\n')
  expect([lines.length, ...lines.slice(99)]).toEqual([
    102,
    'many.json: types.type99 must be an object, got 1.',
    'many.json: 50 more problems.',
    'passportd: many.json has 150 problems.',
  ])
  expect(await check('none.json')).toBe(
    'passportd: none.json cannot be read as a rule set: there is no such file.\n',
  )
})

test.each([
  ...READING_COMMANDS,
  ['keys', 'create', '--demo', '--name', 'a'],
  ['keys', 'revoke', 'a'],
  ['retire', 'set', '--sunset', '2099-01-01'],
])('%s %s does not create a missing SQLite file', async (...args) => {
  using folder = tempFolder()
  const path = join(folder.path, 'data/none.db')
  expect(await callHere(args, { env: { DATABASE_URL: `sqlite:${path}` } })).toEqual({
    out: '',
    err: `passportd: There is no database ${path} yet: check DATABASE_URL, or create it with "serve" (the demo database with "serve --demo"), "import", "mirror", "copy" or "restore".\n`,
    code: 1,
  })
  expect([...new Bun.Glob('**').scanSync(folder.path)]).toEqual([])
})
