import { expect, test } from 'bun:test'
import { workplace } from '../../../support/cli-sandbox.ts'
import { readLines } from '../../../support/log-lines.ts'
import { saveRecords, withEngine } from '../../../support/store/engines.ts'
import { record } from '../../../support/store/records.ts'
import { until } from '../../../support/wait-until.ts'

const stale = (count: number) => Array.from({ length: count }, (_, id) => record(id, { stale: true }))

withEngine('sqlite', 'score', (makeDatabase) => {
  test('concurrent scorers calculate each score once', async () => {
    await using here = await workplace(makeDatabase, { records: stale(1200) })
    const reports = await Promise.all([here.run('score'), here.run('score')])
    expect(reports.map(({ code }) => code)).toEqual([0, 0])
    const done = reports.map(({ err }) => Number(/^Scored ([\d,]+)/m.exec(err)?.[1]?.replace(',', '')))
    expect(done.reduce((sum, count) => sum + count)).toBe(1200)
    expect(await here.look((store) => store.scoring.countStale())).toBe(0)
  })

  test('score calculates every stale score, and prints the number of calculated scores', async () => {
    await using here = await workplace(makeDatabase, { records: stale(120) })
    expect(await here.call('score')).toEqual({
      out: '',
      err: 'Scored 120 passports by rule set 2026-11.\n',
      code: 0,
    })
    expect((await here.call('score')).err).toBe('Scored 0 passports by rule set 2026-11.\n')
    expect((await here.call('score', '--all')).err).toBe('Scored 120 passports by rule set 2026-11.\n')
  })

  test('score --watch scores stale passports until SIGTERM', async () => {
    await using here = await workplace(makeDatabase, { records: stale(1) })
    await using store = await here.open()
    const child = here.start('score', '--watch')
    const lines = readLines(child.stderr)
    await until(() => lines.some((line) => line.startsWith('Watching for stale passports')))
    await saveRecords(store, stale(3))
    await store.scoring.markAll()
    await until(async () => (await store.scoring.countStale()) === 0)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })
})
