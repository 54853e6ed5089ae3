import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, serveProcess } from '../support/cli.ts'
import { tempFolder } from '../support/temp.ts'

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

/** A database with two people and the facts above, scored. */
async function prepare(cwd: string): Promise<void> {
  writeFileSync(join(cwd, 'people.jsonl'), LINES.map((line) => `${JSON.stringify(line)}\n`).join(''))
  expect((await run(['import', 'people.jsonl'], { cwd })).code).toBe(0)
  expect((await run(['score'], { cwd })).code).toBe(0)
}

test('explain tells how a score came about, credential by credential', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  await prepare(cwd)
  const { out, code } = await run(['explain', '0xAA'], { cwd })
  expect(code).toBe(0)
  for (const part of [
    'Passport 1, Ada: 26\n',
    '0 activity + 5 identity + 21 skills, by rule set 2026-11\n',
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
  expect((await run(['explain', '2'], { cwd })).out).toContain(
    'Kites  5 of 5  9 in the record, 5 at most = 5',
  )
})

test('explain --json is for programs', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  await prepare(cwd)
  const explanation = JSON.parse((await run(['explain', '1', '--json'], { cwd })).out)
  expect(explanation).toMatchObject({
    passport_id: 1,
    name: 'Ada',
    rules: '2026-11',
    scores: { total: 26, activity: 0, identity: 5, skills: 21 },
    human: true,
  })
  expect(explanation.credentials).toContainEqual(
    expect.objectContaining({ type: 'github', score: 21, max_score: 40, from: 'rule' }),
  )
})

test('merge lets one passport stand for another, and can be undone', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  await prepare(cwd)
  await using server = await serveProcess([], { cwd })
  const idOf = async (ref: string) =>
    (
      (await (await fetch(`${server.url}/api/v1/passports/${ref}`)).json()) as {
        passport?: { passport_id: number }
      }
    ).passport?.passport_id
  expect(await run(['merge', '1', '2'], { cwd })).toEqual({
    out: '',
    err: 'Passport 1 now leads to 2. "passportd merge 1 --undo" takes it back.\n',
    code: 0,
  })
  expect([await idOf('1'), await idOf('0xaa')]).toEqual([2, 2])
  expect((await run(['merge', '1', '--undo'], { cwd })).err).toBe('Passport 1 stands on its own again.\n')
  expect([await idOf('1'), await idOf('0xaa')]).toEqual([1, 1])
  expect((await run(['remove', '1'], { cwd })).err).toStartWith('Passport 1 is removed.')
  expect([await idOf('1'), await idOf('0xaa')]).toEqual([undefined, undefined])
  const again = await run(['import', 'people.jsonl'], { cwd })
  expect(again.err).toContain('4 of removed passports left out (--restore lets them in)')
  expect(await idOf('1')).toBeUndefined()
  expect((await run(['import', 'people.jsonl', '--restore'], { cwd })).code).toBe(0)
  expect(await idOf('1')).toBe(1)
})

test('rules show is a rule set that rules check finds good', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  const { out } = await run(['rules', 'show'], { cwd })
  writeFileSync(join(cwd, 'mine.json'), out)
  expect(await run(['rules', 'check', 'mine.json'], { cwd })).toEqual({
    out: 'mine.json is a good rule set: version 2026-11, 44 types.\n',
    err: '',
    code: 0,
  })
})

test('rules check says all that is wrong', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  writeFileSync(join(cwd, 'bad.json'), '{"version":"1","types":{"a":{"name":"A","max_score":-1}}}')
  const { err, code } = await run(['rules', 'check', 'bad.json'], { cwd })
  expect(code).toBe(1)
  expect(err).toContain('bad.json: types.a.category is missing.\n')
  expect(err).toContain('bad.json: types.a.max_score must be at least 0, got -1.\n')
  expect(err).toEndWith('passportd: bad.json has 6 problems.\n')
})

test.each([
  [['explain'], 2, 'Name the passport, by id or wallet: passportd explain ID.'],
  [['explain', '99'], 1, 'There is no passport 99 in data/passportd.db.'],
  [['merge', '1'], 2, 'Name the passport by its id: passportd merge FROM INTO.'],
  [['merge', '1', 'x'], 2, '"x" is no passport id: passportd merge FROM INTO.'],
  [['merge', '1', '99'], 1, 'There is no passport 99 here.'],
  [['merge', '1', '1'], 1, 'A passport cannot be merged into itself.'],
  [['merge', '1', '--undo'], 1, 'Passport 1 is not merged into another.'],
  [['merge', '1', '2', '3'], 2, "Unexpected argument '3'."],
  [['remove'], 2, 'Name the passport by its id: passportd remove ID.'],
  [['remove', '99'], 1, 'There is no passport 99 here.'],
  [['rules'], 2, 'Say what to do: passportd rules check FILE, or rules show.'],
  [['rules', 'check', 'none.json'], 1, 'none.json cannot be read as a rule set'],
  [['score', 'now'], 2, "Unexpected argument 'now'."],
])('%p ends with %i and one sentence', async (args, expected, sentence) => {
  using folder = tempFolder()
  const cwd = folder.path
  await prepare(cwd)
  const { err, code } = await run(args, { cwd })
  expect(code).toBe(expected)
  expect(err).toMatch(/^passportd: [^\n]+\n$/)
  expect(err).toContain(sentence)
})

test('what strangers wrote cannot steer the terminal', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  const evil = '\u001b[2J\u202eevil'
  const lines = [
    { passport_id: 1, passport_profile: { display_name: evil }, main_wallet: `0x${evil}` },
    { passport_id: 2, main_wallet: `0x${evil}` },
    { passport: 1, type: 'github', value: 4, account: evil, display: evil },
    { passport: 1, type: 'github', value: 5, account: 'b' },
  ]
  writeFileSync(join(cwd, 'evil.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const imported = await run(['import', 'evil.jsonl'], { cwd })
  expect(imported.err).toContain('main_wallet: wallet 0x')
  const explained = await run(['explain', '1'], { cwd })
  expect(explained.out).toContain('evil')
  for (const text of [imported.err, explained.out]) expect(text).not.toMatch(/[^\n\P{Cc}]|\u202e/u)
})
