import { expect, test } from 'bun:test'
import type { DataPoint } from '../../../src/domain/data-point.ts'
import { readable, serveExplorer } from '../../support/explorer/explorer-server.ts'
import { rescore } from '../../support/explorer/sample-passport.ts'
import { onEngine } from '../../support/store/engines.ts'
import { credential, record } from '../../support/store/records.ts'

const point = (type: string, account: string, amount: number, display: string): DataPoint => ({
  type,
  account,
  value: { kind: 'number', amount },
  display,
})

onEngine('sqlite', 'the explanation of a score', (open) => {
  test('explains in words before numbers, and says which points come from the record', async () => {
    const credentials = ['Base Camp', 'Developer DAO'].map((name) =>
      credential(name, { name, category: 'Skills', score: 8, maxScore: 8, value: 'Verified' }),
    )
    const capped = credential('c', {
      name: 'Kites',
      category: 'Skills',
      score: 9,
      maxScore: 5,
      value: '9 kites',
    })
    const dataPoints = [
      point('base_builder', '', 9, '9 contracts'),
      point('github', 'old', 100, '100 contributions'),
      point('github', 'new', 1764, 'Since 2015-03-02, Total Contributions: 1764'),
      point('celo_builder', '0xde30a', 1, '1 contract'),
      point('celo_builder', '0xde30b', 3, '3 contracts'),
      { ...point('worldcoin', '', 1, ''), value: { kind: 'flag' as const, amount: 1 } },
    ]
    await using store = await open([
      record(1, { credentials: [...credentials, capped], dataPoints, stale: true }),
    ])
    await rescore(store)
    await using server = serveExplorer(store)
    const words = readable((await server.look('/passports/1/score')).text)
    for (const part of [
      'By rule set 2026-11 :',
      'World ID Verified : 8 of 8 points 8',
      'Base Developer 9 contracts : √9 × 6 = 18, at most 40 18',
      'GitHub Since 2015-03-02, Total Contributions: 1764 , √1764 × 0.5 = 21, at most 40 new , Since',
      'Celo Developer 2 accounts: √4 × 4 = 8, at most 20 0xde30a , 1 contract 0xde30b , 3 contracts 8',
      'Base Camp Verified , points from the imported record 8',
      'Kites 9 kites , 9 points from the imported record, at most 5 5',
    ])
      expect(words).toContain(part)
    expect(words).not.toContain('Given by')
    expect(words).not.toContain('min(round(')
  })

  test('does not claim that parts add up to another total of a record', async () => {
    const scores = { total: 150, activity: 10, identity: 20, skills: 30 }
    await using store = await open([record(1, { scores }), record(2, { scores: { ...scores, total: 55 } })])
    await using server = serveExplorer(store)
    const read = async (path: string) => readable((await server.look(path)).text)
    expect(await read('/passports/1')).toContain(
      '150, given by the imported record. Its parts are 10 Activity + 20 Identity + 30 Skills.',
    )
    expect(await read('/passports/1/score')).toContain(
      'The imported record gives the score, without credentials.',
    )
    expect(await read('/passports/2')).toContain('55, given by the imported record.')
  })

  test('stays below 200 KB with the largest record', async () => {
    const long = '"\u0300&\u{1f469}\u200d\u{1f4bb}'.repeat(40)
    const credentials = Array.from({ length: 300 }, (_, at) =>
      credential(`${at}`, {
        type: `${at}`,
        name: long,
        category: `${at}${long}`,
        score: at,
        maxScore: 300,
        value: long,
      }),
    )
    const dataPoints = Array.from({ length: 1200 }, (_, at) =>
      point(`type ${at % 60}`, `${at}${long}`, 1e300, long),
    )
    await using store = await open([record(1, { credentials, dataPoints, stale: true })])
    await rescore(store)
    await using server = serveExplorer(store)
    const { text } = await server.look('/passports/1/score')
    expect(new Blob([text]).size).toBeLessThan(200_000)
    expect(readable(text)).toContain('300 more credentials with fewer points are not shown.')
  })
})
