import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { saveRecords, withEveryEngine } from '../../support/store/engines.ts'
import { credential, NOON, record, social } from '../../support/store/records.ts'

const DAY = 86_400_000
const WALLET = '0xada0000000000000000000000000000000000001'

const adaWith = (score: number, given: Partial<PassportRecord> = {}) =>
  record(7, {
    mainWallet: WALLET,
    verifiedWallets: [WALLET],
    scores: { total: score, identity: score },
    credentials: [credential('a', { score })],
    ...given,
  })

withEveryEngine('history and diff', (makeDatabase) => {
  async function prepare() {
    const here = await workplace(makeDatabase)
    await here.look(async (store) => {
      const steps = [adaWith(2), adaWith(5), adaWith(5, { connections: 1 }), record(8)]
      for (const [day, passport] of steps.entries())
        await store.records.save([{ kind: 'passport', passport }], {
          now: NOON + day * (DAY + 1),
          restore: false,
        })
      await store.passports.remove(8, NOON + 9 * DAY)
    })
    return here
  }

  // All tests that only read share this database.
  let here: Awaited<ReturnType<typeof prepare>>
  beforeAll(async () => {
    here = await prepare()
  })
  afterAll(() => here[Symbol.asyncDispose]())

  test('history lists the changes of a passport with their causes', async () => {
    for (const id of ['7', WALLET]) {
      const { out, err } = await here.call('history', id)
      expect(out).toBe(
        [
          'NUMBER  TIME                      EVENT             CHANGE',
          '1       2026-01-02T12:00:00.000Z  passport.added    score 2',
          '2       2026-01-03T12:00:00.001Z  score.changed     2 -> 5, ens +3 (record)',
          '3       2026-01-04T12:00:00.002Z  passport.changed  connections_count\n',
        ].join('\n'),
      )
      expect(err).toBe('Changes are logged since 2026-01-02T12:00:00.000Z.\n')
    }
    const events = await here.json('history', '7')
    expect(events).toMatchObject([{ type: 'passport.added', subject: '7' }, { data: { score: [2, 5] } }, {}])
  })

  test('history shows only the removal of a removed passport', async () => {
    expect((await here.call('history', '8')).out).toMatch(/^NUMBER.*\n5 .* passport\.removed\n$/)
  })

  test('diff explains the difference between two times', async () => {
    const { out } = await here.call('diff', '7', '2026-01-03', '2026-01-09')
    expect(out).toBe('Passport 7: 2 -> 5\nTYPE  CHANGE  CAUSE\nens   +3      record\n')
    expect((await here.call('diff', '7', '2026-01-04', '2026-01-09')).out).toBe('Passport 7: 5\n')
    expect(await here.json('diff', WALLET, '2026-01-03', '2026-01-03T13:00Z')).toEqual({
      passport_id: 7,
      from: '2026-01-03T00:00:00.000Z',
      to: '2026-01-03T13:00:00.000Z',
      score: [2, 5],
      causes: [{ type: 'ens', delta: 3, cause: 'record' }],
    })
  })

  test('diff accepts times as history prints them, or now, and the second time is optional', async () => {
    const { out, err } = await here.call('history', '7')
    const [added = '', scored = ''] = out.match(/\S+Z/g) ?? []
    const since = /\S+Z/.exec(err)?.[0] ?? ''
    for (const times of [[added, scored], [added, 'now'], [added], [since]])
      expect((await here.call('diff', '7', ...times)).out).toStartWith('Passport 7: 2 -> 5\n')
    for (const times of [[scored], ['now', 'now']])
      expect((await here.call('diff', '7', ...times)).out).toBe('Passport 7: 5\n')
  })

  test('explain, history and diff accept ids, wallets and handles', async () => {
    await using here = await prepare()
    const socials = [social('GitHub', 'Zoe')]
    await here.look((store) => saveRecords(store, [adaWith(5, { socials })]))
    const commands = [['explain'], ['history'], ['diff', '2026-01-03']]
    for (const [name = '', ...times] of commands) {
      const byId = await here.call(name, '7', ...times)
      expect(byId).toMatchObject({ code: 0, out: expect.stringContaining('5') })
      for (const key of [WALLET, 'github:zoe', 'GitHub:@Zoe'])
        expect(await here.call(name, key, ...times)).toEqual(byId)
      await here.refuses('There is no passport ', name, 'github:none', ...times)
    }
    await here.look((store) => saveRecords(store, [record(9, { socials })]))
    for (const [name = '', ...times] of commands)
      await here.refuses('is a handle of the passports 7, 9: use an id.', name, 'github:zoe', ...times)
  })

  test.each([
    [['history', '99'], 'There is no passport 99 in'],
    [
      ['history', '9'.repeat(20)],
      'A passport is named by its id, a wallet or a handle such as github:zoe, got "9',
    ],
    [['explain', 'github:'], 'a handle such as github:zoe, got "github:".'],
    [['diff', '99', '2026-01-03', '2026-01-04'], 'There is no passport "99".'],
    [
      ['diff', '7', '2025-01-03', '2026-01-04'],
      'from is 2025-01-03T00:00:00.000Z, but changes are known since 2026-01-02T12:00:00.000Z.',
    ],
    [['diff', '7', '2026-01-05', '2026-01-04'], 'TO must be a time after FROM, got "2026-01-04".'],
    [['diff', '7', '9999-01-01'], 'TO must be a time after FROM, got "now".'],
    [
      ['diff', '7', 'monday', '2026-01-04'],
      'FROM must be now, or a time such as 2026-11-01 or 2026-11-01T12:00:00Z, got "monday".',
    ],
  ])('%j is refused', async (args, sentence) => {
    const { code, err } = await here.call(...args)
    expect(code).not.toBe(0)
    expect(err).toContain(sentence)
  })
})
