import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { workplace } from '../../support/cli-sandbox.ts'
import { withEngine } from '../../support/store/engines.ts'
import { toLines } from '../../support/store/json-lines.ts'

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

withEngine('sqlite', 'explain', (makeDatabase) => {
  test('explain shows how each credential contributes to the score', async () => {
    await using here = await workplace(makeDatabase, { files: { 'people.jsonl': toLines(...LINES) } })
    expect((await here.call('import', here.path('people.jsonl'))).code).toBe(0)
    expect((await here.call('score')).code).toBe(0)
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
    await here.refuses(`passportd: There is no passport 99 in ${here.database}.\n`, 'explain', '99')
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

  test('the issuer of a data point is explained, exported and imported, and a withdrawn data point is gone', async () => {
    const points = [
      { passport: 1, type: 'github', value: 16, account: 'ada', issuer: 'hub' },
      { passport: 1, type: 'worldcoin', value: true, issuer: 'orb' },
    ]
    const lines = toLines({ passport_id: 1 }, ...points)
    const withdrawal = toLines({ passport: 1, type: 'github', account: 'ada', withdrawn: true })
    await using here = await workplace(makeDatabase, {
      files: { 'people.jsonl': lines, 'withdrawal.jsonl': withdrawal },
    })
    await here.call('import', here.path('people.jsonl'))
    await here.call('score')
    const { out } = await here.call('explain', '1')
    expect(out).toContain('GitHub  2 of 40  min(round(√16 × 0.5), 40) = 2, issued by hub\n')
    await here.call('export', here.path('export.jsonl'))
    const exported = readFileSync(here.path('export.jsonl'), 'utf8')
    expect(JSON.parse(exported).credentials).toContainEqual(
      expect.objectContaining({ type: 'github', issuer: 'hub', derived: true }),
    )
    await using copy = await workplace(makeDatabase, { files: { 'export.jsonl': exported } })
    await copy.call('import', copy.path('export.jsonl'))
    await copy.call('export', copy.path('again.jsonl'))
    expect(readFileSync(copy.path('again.jsonl'), 'utf8')).toBe(exported)
    const imported = () => here.call('import', here.path('withdrawal.jsonl'))
    expect((await imported()).err).toContain('1 changed')
    expect((await imported()).err).toContain('1 unchanged')
    await here.call('score')
    expect((await here.call('explain', '1')).out).not.toContain('GitHub')
  })

  test('explain shows 20 accounts of a type and the number of the others', async () => {
    const points = Array.from({ length: 23 }, (_, at) => ({
      ...{ passport: 1, type: 'github', value: at, account: `account-${at}` },
    }))
    await using here = await workplace(makeDatabase, {
      files: { 'people.jsonl': toLines({ passport_id: 1 }, ...points) },
    })
    await here.call('import', here.path('people.jsonl'))
    const { out } = await here.call('explain', '1')
    expect(out.match(/account-/g)).toHaveLength(20)
    expect(out).toContain('    and 3 more\n')
    const [line] = (await here.json('explain', '1')).credentials
    expect([line.accounts.length, line.more_accounts]).toEqual([20, 3])
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
