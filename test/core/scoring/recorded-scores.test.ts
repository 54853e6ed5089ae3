import { expect, test } from 'bun:test'
import { causesOf } from '../../../src/core/history/event.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { exportAll } from '../../support/cli-sandbox.ts'
import { onEveryEngine } from '../../support/store/engines.ts'
import { toLines } from '../../support/store/json-lines.ts'
import { importText } from '../../support/store/random-histories.ts'
import { createPassportExplainer, find, scoreNow } from '../../support/store/scoring.ts'

const SCORED = {
  passport_id: 1,
  human_checkmark: true,
  credentials: [{ id: 'a', type: 'kites', category: 'Activity', score: 5, max_score: 5 }],
}

onEveryEngine('scores of a record', (open) => {
  test('a score that came with a record without credentials survives every calculation', async () => {
    await using store = await open()
    await importText(store, '{"passport_id":1,"score":26}\n')
    for (const _ of ['first calculation', 'second calculation']) {
      await store.scoring.markAll()
      await scoreNow(store)
    }
    expect((await find(store, 1))?.scores.total).toBe(26)
  })

  test('the score of the latest record is shown while no rule scores a data point, also after an export', async () => {
    await using store = await open()
    const total = async () => (await find(store, 1))?.scores.total
    const save = async (...lines: object[]) => {
      await importText(store, toLines(...lines))
      await scoreNow(store)
    }
    await save({ passport_id: 1, score: 26 }, { passport: 1, type: 'unheard_of', value: 1 })
    expect(await total()).toBe(26)
    await save({ passport: 1, type: 'base_builder', value: 4 })
    expect(await total()).toBe(12)
    await save({ passport_id: 1, score: 31 })
    expect(await total()).toBe(12)

    await using copy = await open()
    expect(await importText(copy, await exportAll(store))).toEqual([])
    expect(await exportAll(copy)).toBe(await exportAll(store))
    for (const each of [store, copy]) {
      await importText(each, toLines({ passport: 1, type: 'base_builder', withdrawn: true }))
      await scoreNow(each)
      expect((await find(each, 1))?.scores.total).toBe(31)
    }
    await save({ passport_id: 1, score: 8 })
    expect(await total()).toBe(8)
    await save({ passport_id: 1 })
    expect(await total()).toBe(0)
    expect(await listCauses(store)).toEqual(['calculated', 'record', 'record', 'record'])
  })

  test('a record without credentials changes neither the score nor the rule set of a scored passport', async () => {
    await using store = await open()
    await importText(store, toLines(SCORED))
    await scoreNow(store)
    const { last } = await store.events.log()
    const [before] = await store.passports.findByKeys([{ id: 1 }], { credentials: true })
    await importText(store, toLines({ passport_id: 1, human_checkmark: true, score: 31 }))
    expect(await store.passports.findByKeys([{ id: 1 }], { credentials: true })).toEqual([before])
    expect((await store.events.list({ after: last, limit: 9 })).events).toEqual([])
  })

  test('a passport without a scored credential has the method record, whether it was calculated or not', async () => {
    await using store = await open()
    await importText(store, toLines({ passport_id: 1, score: 26 }, { passport: 1, type: 'later', value: 4 }))
    await scoreNow(store)
    expect(await createPassportExplainer(store)({ id: 1 })).toMatchObject({
      ...{ method: 'record', rules: null, scores: { total: 26 } },
    })
  })
})

/** The causes of the part of each change that no credential explains. */
async function listCauses(store: Store) {
  const { events } = await store.events.list({ after: 0, limit: 99 })
  return events.flatMap((event) =>
    event.type === 'score.changed'
      ? causesOf(event.change).flatMap(({ type, cause }) => (type === undefined ? [cause] : []))
      : [],
  )
}
