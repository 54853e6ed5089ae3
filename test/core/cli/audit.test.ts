import { expect, test } from 'bun:test'
import type { AuditEntry } from '../../../src/core/history/event.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { callHere } from '../../support/cli-in-process.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { COPY } from '../../support/features/copy.ts'
import { NO_PLAN, PLAN } from '../../support/features/retire.ts'
import { type MakeDatabase, withEngine, withEveryEngine } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { toLines } from '../../support/store/json-lines.ts'
import { RULE_SETS } from '../../support/store/open.ts'
import { NOON, record } from '../../support/store/records.ts'
import { kiteRules } from '../../support/store/rule-files.ts'
import { DEFAULT_RULES } from '../../support/store/scoring.ts'

const NAME = 'Grace Hopper'
const OWNER = 'grace@example.com'
const CREATE = ['keys', 'create', '--name', NAME, '--owner', OWNER, '--json']

const removals = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ passport_id: first + at, removed: true }))

async function prepare(makeDatabase: MakeDatabase) {
  const here = await workplace(makeDatabase, {
    files: {
      'rules.json': kiteRules('kites-1'),
      'removals.jsonl': toLines(...removals(101, 30)),
      'merged.jsonl': toLines({ passport_id: 8, merged_into: 9 }, { passport_id: 9 }),
    },
    records: [1, 2, 3, 4].map((id) => record(id)),
  })
  const succeed = async (...args: string[]) => {
    const result = await here.call(...args)
    expect({ args, ...result }).toMatchObject({ code: 0 })
    return result.out
  }
  const entries = async () => (await here.json('audit')) as (Omit<AuditEntry, 'time'> & { time: string })[]
  /** The entries that a command adds, without their times. */
  const added = async (...args: string[]) => {
    const { length } = await entries()
    const out = await succeed(...args)
    const shown = (await entries()).slice(length).map(({ time: _, ...entry }) => entry)
    expect(shown.every(({ actor }) => actor === 'cli')).toBe(true)
    return { out, shown: shown.map(({ action, detail }): object => ({ action, ...detail })) }
  }
  return { ...here, succeed, entries, added }
}

const contents = async (store: Store) =>
  Promise.all((await store.data(COPY).listTables()).map(({ list }) => list({})))

withEveryEngine('audit', (makeDatabase) => {
  test('every change of a key is in the audit log, without the key, its name and its owner', async () => {
    await using here = await prepare(makeDatabase)
    const begin = Date.now()
    const created = await here.added(...CREATE, '--tier', 'high')
    const { id, key } = JSON.parse(created.out)
    const lists = { scopes: expect.any(Array), origins: [], types: [] }
    const fields = { tier: 'high', ...lists, expires: null }
    expect(created.shown).toEqual([{ action: 'keys.create', keys: [id], ...fields }])
    expect(
      (await here.added('keys', 'set', key, '--name', 'b', '--owner', '', '--tier', 'standard')).shown,
    ).toEqual([{ action: 'keys.set', keys: [id], name: 'changed', owner: '', tier: 'standard' }])
    expect((await here.added('keys', 'set', id, '--expires', '2099-01-31')).shown).toEqual([
      { action: 'keys.set', keys: [id], expires: '2099-01-31T00:00:00.000Z' },
    ])
    await here.look((store) => store.data(PLAN).save({ ...NO_PLAN, exempt: [id] }))
    const rotated = await here.added('keys', 'rotate', key, '--grace', '0', '--json')
    const next = JSON.parse(rotated.out)
    expect(rotated.shown).toEqual([
      {
        ...fields,
        action: 'keys.create',
        keys: [next.id],
        tier: 'standard',
        expires: '2099-01-31T00:00:00.000Z',
      },
      { action: 'keys.rotate', keys: [id], successor: next.id },
      { action: 'retirement.set', exempt: [id, next.id] },
    ])
    expect((await here.added('keys', 'revoke', next.key)).shown).toEqual([
      { action: 'keys.revoke', keys: [next.id] },
    ])
    expect((await here.added('keys', 'purge')).shown).toEqual([])
    await here.look((store) => store.keys.revoke(id, NOON))
    expect((await here.added('keys', 'purge')).shown).toEqual([{ action: 'keys.purge', keys: [id] }])
    for (const { time } of await here.entries()) {
      expect(Date.parse(time)).toBeGreaterThanOrEqual(begin)
      expect(Date.parse(time)).toBeLessThanOrEqual(Date.now())
    }
    const log = JSON.stringify(await here.entries())
    for (const secret of [key, next.key].flatMap((each) => [each.slice(0, 20), each.slice(-64)]))
      expect(log).not.toContain(secret)
    for (const personal of [NAME, OWNER]) expect(log).not.toContain(personal)
  })

  test('every change of the rule set is in the audit log, and so is a new file in RULES', async () => {
    await using here = await prepare(makeDatabase)
    const applied = await here.added('rules', 'apply', here.path('rules.json'))
    const kites = await here.look(async (store) => (await store.data(RULE_SETS).active())?.stamp)
    expect(applied.shown).toEqual([
      { action: 'rules.apply', rules: kites, replaced: 'built-in', source: 'apply' },
    ])
    expect((await here.added('rules', 'apply', here.path('rules.json'))).shown).toEqual([])
    expect((await here.added('rules', 'rollback')).shown).toEqual([
      { action: 'rules.rollback', rules: DEFAULT_RULES.stamp, replaced: kites, source: 'built-in' },
    ])
    await using other = await prepare(makeDatabase)
    const env = { ...other.env, RULES: other.path('rules.json') }
    for (let run = 1; run <= 2; run++) {
      expect(await callHere(['score'], { env })).toMatchObject({ code: 0 })
      expect((await other.entries()).map(({ action, detail }) => [action, detail])).toEqual([
        ['rules.apply', { rules: kites, replaced: 'built-in', source: 'RULES' }],
      ])
    }
  })

  test('merges and removals are in the audit log, in one entry for each batch of an import', async () => {
    await using here = await prepare(makeDatabase)
    const shown = async (...args: string[]) => (await here.added(...args)).shown
    expect(await shown('merge', '1', '2')).toEqual([{ action: 'passports.merge', passports: ['1 into 2'] }])
    expect(await shown('merge', '1', '--undo')).toEqual([
      { action: 'passports.unmerge', passports: ['1 from 2'] },
    ])
    await here.succeed('merge', '3', '4')
    expect(await shown('remove', '4', '--yes')).toEqual([{ action: 'passports.remove', passports: [4, 3] }])
    expect(await shown('remove', '4', '--yes')).toEqual([])
    expect(await shown('remove', '77', '--yes')).toEqual([{ action: 'passports.remove', passports: [77] }])
    const ids = [101, 102, 103, 104, 105, 106, 107, 108, 109, 110]
    expect(await shown('import', here.path('removals.jsonl'), '--dry-run')).toEqual([])
    expect(await shown('import', here.path('removals.jsonl'))).toEqual([
      { action: 'passports.remove', count: 30, passports: ids },
    ])
    expect(await shown('import', here.path('removals.jsonl'))).toEqual([])
    expect(await shown('import', here.path('merged.jsonl'))).toEqual([
      { action: 'passports.merge', passports: ['8 into 9'] },
    ])
  })

  test('the audit log has the changed fields of the retirement plan', async () => {
    await using here = await prepare(makeDatabase)
    const shown = async (...args: string[]) => (await here.added('retire', ...args)).shown
    const { id } = JSON.parse(await here.succeed(...CREATE))
    const action = 'retirement.set'
    expect(await shown('set', '--sunset', '2099-06-01', '--successor', 'https://example.com/v3')).toEqual([
      { action, sunset: '2099-06-01T00:00:00.000Z', successor: 'https://example.com/v3' },
    ])
    expect(await shown('brownout', 'add', '2099-01-01T09:00Z', '2h')).toEqual([
      { action, brownouts: ['2099-01-01T09:00:00.000Z/2099-01-01T11:00:00.000Z'] },
    ])
    expect(await shown('brownout', 'remove', '2099-01-01T09:00Z')).toEqual([{ action, brownouts: [] }])
    expect(await shown('exempt', id)).toEqual([{ action, exempt: [id] }])
    expect(await shown('clear', '--yes')).toEqual([{ action, sunset: null, successor: null, exempt: [] }])
  })

  test('a refused command adds nothing to the audit log', async () => {
    await using here = await prepare(makeDatabase)
    const { id } = JSON.parse(await here.succeed(...CREATE))
    await here.succeed('keys', 'revoke', id)
    const before = await here.look(contents)
    for (const line of [
      'keys create --name a --tier none',
      'keys set 0000000000 --tier high',
      `keys set ${id} --tier high`,
      `keys rotate ${id}`,
      'keys revoke 0000000000',
      'rules apply missing.json',
      'rules rollback',
      'merge 1 99',
      'merge 1 1',
      'merge 1 --undo',
      'remove 1',
      'retire clear',
      'retire exempt 0000000000',
      'retire brownout remove 2099-01-01',
    ])
      expect({ line, ...(await here.call(...line.split(' '))) }).not.toMatchObject({ code: 0 })
    expect(await here.look(contents)).toEqual(before)
  })

  test('a change whose audit entry cannot be saved is rolled back', async () => {
    await using here = await prepare(makeDatabase)
    const { id } = JSON.parse(await here.succeed(...CREATE))
    const gone = JSON.parse(await here.succeed(...CREATE)).id
    await here.look((store) => store.keys.revoke(gone, NOON))
    await here.succeed('rules', 'apply', here.path('rules.json'))
    await here.succeed('merge', '3', '4')
    const before = await here.look(contents)
    await execute(here.env.DATABASE_URL, 'alter table audit rename to hidden_audit')
    for (const line of [
      'keys create --name a',
      `keys set ${id} --tier high`,
      `keys revoke ${id}`,
      'keys purge',
      'rules rollback',
      'merge 1 2',
      'merge 3 --undo',
      'remove 1 --yes',
      `import ${here.path('removals.jsonl')}`,
      'retire set --sunset 2099-06-01',
    ])
      expect({ line, ...(await here.call(...line.split(' '))) }).toMatchObject({
        out: '',
        err: expect.stringContaining('audit'),
        code: 1,
      })
    await here.look(
      async ({ keys }) => void (await expect(keys.replace(id, 'b', NOON)).rejects.toThrow('audit')),
    )
    await execute(here.env.DATABASE_URL, 'alter table hidden_audit rename to audit')
    expect(await here.look(contents)).toEqual(before)
  })
})

withEngine('sqlite', 'audit', (makeDatabase) => {
  test('audit prints the latest changes since a time, the last one at the end', async () => {
    await using here = await workplace(makeDatabase)
    const details = [
      { keys: ['k1'], scopes: ['read', 'events'], owner: '' },
      { rules: '\u001b[2J' },
      { ids: [3] },
    ]
    for (const [at, detail] of details.entries()) {
      const values = [`${at}`, NOON + at, 'key:a', `test.${at}`, JSON.stringify(detail)]
      await execute(here.env.DATABASE_URL, `insert into audit values ('${values.join("', '")}')`)
    }
    const print = (...args: string[]) => here.call('audit', ...args)
    const [first, second, third] = [0, 1, 2].map((at) => new Date(NOON + at).toISOString()) as [
      string,
      string,
      string,
    ]
    expect(await print()).toEqual({
      out: `TIME                      ACTOR  ACTION  DETAIL
${first}  key:a  test.0  keys k1; scopes read, events; owner none
${second}  key:a  test.1  rules \ufffd[2J
${third}  key:a  test.2  ids 3
`,
      err: '',
      code: 0,
    })
    const actions = async (...args: string[]) =>
      (await here.json('audit', ...args)).map(({ action }: AuditEntry) => action)
    expect(await actions('--since', second)).toEqual(['test.1', 'test.2'])
    expect(await actions('--since', '2099-01-01')).toEqual([])
    expect(await actions('--limit', '2')).toEqual(['test.1', 'test.2'])
    expect((await print('--limit', '2')).err).toBe('There may be earlier changes: --limit N lists more.\n')
    expect(await here.json('audit', '--limit', '1')).toEqual([
      { time: third, actor: 'key:a', action: 'test.2', detail: { ids: [3] } },
    ])
  })

  test.each([
    [
      ['--since', 'monday'],
      '--since must be a day or a time, such as 2026-01-31 or 2026-01-31T12:00:00Z, got "monday".',
    ],
    [['--limit', '0'], '--limit must be a number from 1 to 100000, got "0".'],
  ])('audit refuses %p', async (args, sentence) => {
    await using here = await workplace(makeDatabase)
    expect(await here.call('audit', ...args)).toEqual({ out: '', err: `passportd: ${sentence}\n`, code: 2 })
  })
})
