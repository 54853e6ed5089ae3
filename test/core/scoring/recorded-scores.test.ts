import { expect, test } from 'bun:test'
import { onEveryEngine } from '../../support/store/engines.ts'
import { importText } from '../../support/store/random-histories.ts'
import { find, scoreNow } from '../../support/store/scoring.ts'

const SCORED = {
  passport_id: 1,
  human_checkmark: true,
  credentials: [{ id: 'a', type: 'kites', category: 'Activity', score: 5, max_score: 5 }],
}

// The score of a record and the calculated score share a column: the two tests fail until they are stored apart.
onEveryEngine('scores of a record', (open) => {
  test.failing('a score that came with a record without credentials survives every calculation', async () => {
    await using store = await open()
    await importText(store, '{"passport_id":1,"score":26}\n')
    for (const _ of ['first calculation', 'second calculation']) {
      await store.scoring.markAll()
      await scoreNow(store)
    }
    expect((await find(store, 1))?.scores.total).toBe(26)
  })

  test.failing('a passport that loses its last credential loses the score of that credential', async () => {
    await using store = await open()
    await importText(store, `${JSON.stringify(SCORED)}\n`)
    await scoreNow(store)
    await importText(store, '{"passport_id":1,"credentials":[]}\n')
    await scoreNow(store)
    expect((await find(store, 1))?.scores.total).toBe(0)
  })
})
