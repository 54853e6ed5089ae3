import { expect, test } from 'bun:test'
import { workplace } from '../../support/cli-sandbox.ts'
import { withEveryEngine } from '../../support/store/engines.ts'
import { dataPoint, record } from '../../support/store/records.ts'
import { kiteRules } from '../../support/store/rule-files.ts'

/** Twelve passports with 1 to 12 kites, one with a proof of a human, one without data points, and a merged one. */
const RECORDS = [
  ...Array.from({ length: 12 }, (_, at) => record(at + 1, { dataPoints: [dataPoint('kites', at + 1)] })),
  record(20, { dataPoints: [dataPoint('worldcoin', 1)] }),
  record(21),
  record(22, { dataPoints: [dataPoint('kites', 80)], mergedInto: 1 }),
]

withEveryEngine('rules diff', (makeDatabase) => {
  test('rules diff reports how many scores change, the largest changes with their reasons, and human checkmarks', async () => {
    const files = {
      'kites.json': kiteRules('kites', { proves_human: true }),
      'none.json': kiteRules('none', { multiplier: 0 }),
    }
    await using here = await workplace(makeDatabase, { records: RECORDS, files })
    const file = here.path('kites.json')
    const stale = await here.look((store) => store.scoring.countStale())
    const report = await here.json('rules', 'diff', file)
    expect(report).toMatchObject({
      passports: 14,
      rise: 12,
      fall: 1,
      stay: 1,
      human: { gained: 12, lost: 1, gained_ids: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], lost_ids: [20] },
    })
    expect(report.largest).toHaveLength(10)
    expect(report.largest[0]).toEqual({
      passport_id: 12,
      before: 0,
      after: 12,
      reasons: [{ type: 'kites', before: 0, after: 12 }],
    })
    expect(report.histogram).toMatchObject({ '-9 to -1': 1, '0': 1, '+1 to +9': 9, '+10 to +19': 3 })

    const text = (await here.call('rules', 'diff', file)).out
    expect(text).toContain('14 passports: 12 scores rise, 1 falls, 1 stays.')
    expect(text).toMatch(/^ *12 +0 +12 +\+12 +kites \+12$/m)
    expect(text).toContain('Gain the human checkmark: 12 (1, 2, 3')
    expect(text).toContain('Lose the human checkmark: 1 (20)')

    // `rules diff` has changed nothing.
    expect((await here.call('rules', 'list')).err).toContain('No rule set was applied')
    expect(await here.look((store) => store.scoring.countStale())).toBe(stale)
    // After the file is applied, it equals the active rule set.
    await here.call('rules', 'apply', file)
    expect((await here.call('rules', 'diff', file)).out).toContain('0 scores rise, 0 fall, 14 stay.')
  })

  test('rules diff compares all passports, in several batches', async () => {
    const records = Array.from({ length: 1201 }, (_, id) =>
      record(id, { dataPoints: [dataPoint('kites', 1)] }),
    )
    await using here = await workplace(makeDatabase, { records, files: { 'k.json': kiteRules('k') } })
    expect((await here.call('rules', 'diff', here.path('k.json'))).out).toContain(
      '1,201 passports: 1,201 scores rise, 0 fall, 0 stay.',
    )
  })

  test('rules diff and explain show the effect of the options "unique" and "expires"', async () => {
    const files = {
      'plain.json': kiteRules('plain'),
      'strict.json': kiteRules('strict', { unique: 'first', expires: '30d' }),
      'wrong.json': kiteRules('wrong', { unique: true, expires: 9 }),
    }
    const held = (id: number, account: string, earnedAt: number) =>
      record(id, { dataPoints: [{ ...dataPoint('kites', 5, account), earnedAt }] })
    const records = [held(1, 'ada', Date.now()), held(2, 'ADA', Date.now()), held(3, 'bob', 0)]
    await using here = await workplace(makeDatabase, { records, files })
    expect((await here.call('rules', 'check', here.path('wrong.json'))).err).toContain(
      'types.kites.unique must be first, got true.',
    )
    await here.call('rules', 'apply', here.path('plain.json'))
    await here.call('score')
    const { out } = await here.call('rules', 'diff', here.path('strict.json'))
    expect(out).toContain('3 passports: 0 scores rise, 2 fall, 1 stays.')
    for (const id of [2, 3]) expect(out).toMatch(new RegExp(`^ *${id} +5 +0 +-5 +kites -5$`, 'm'))
    const { err } = await here.call('rules', 'apply', here.path('strict.json'))
    // Passport 1 gets a time at which its score is calculated again.
    expect(err).toContain('3 scores will be calculated')
    await here.call('score')
    expect((await here.call('explain', '1')).out).toMatch(/5 of 90.* = 5, counts until \d{4}-\d\d-\d\d$/m)
    expect((await here.call('explain', '2')).out).toContain('0: this account does not count here')
    expect((await here.call('explain', '3')).out).toContain('0 of 90  0: expired on 1970-01-31')
  })

  test('rules diff counts the passports in each level', async () => {
    const levels = [
      { name: 'Low', from: 0 },
      { name: 'High', from: 10 },
    ]
    const rules = JSON.parse(kiteRules('levels'))
    const files = {
      'plain.json': kiteRules('plain'),
      'levels.json': JSON.stringify({ ...rules, levels }),
      'steep.json': kiteRules('steep', { multiplier: 2 }).replace(
        '{',
        `{"levels":${JSON.stringify(levels)},`,
      ),
    }
    await using here = await workplace(makeDatabase, { records: RECORDS, files })
    const { path } = here
    expect((await here.call('rules', 'check', path('levels.json'))).out).toContain('1 type, 2 levels.')
    await here.call('rules', 'apply', path('plain.json'))
    expect((await here.call('rules', 'diff', path('plain.json'))).out).not.toContain('LEVEL')
    expect((await here.call('rules', 'diff', path('levels.json'))).out).toMatch(
      /LEVEL AFTER +FROM +PASSPORTS\nLow +0 +11\nHigh +10 +3\n/,
    )
    await here.call('rules', 'apply', path('levels.json'))
    expect((await here.call('rules', 'diff', path('steep.json'))).out).toMatch(
      /LEVEL BEFORE +FROM +PASSPORTS\nLow +0 +11\nHigh +10 +3\n\nLEVEL AFTER +FROM +PASSPORTS\nLow +0 +6\nHigh +10 +8\n/,
    )
    expect(await here.json('rules', 'diff', path('plain.json'))).toMatchObject({
      levels: { before: [{ name: 'Low', from: 0, passports: 11 }, { name: 'High' }], after: [] },
    })
  })
})
