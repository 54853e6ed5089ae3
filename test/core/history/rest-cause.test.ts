import { expect, test } from 'bun:test'
import { causesOf } from '../../../src/core/history/event.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { credential, record } from '../../support/store/records.ts'
import { contracts, DEFAULT_RULES, hand, scoreNow, stampRules } from '../../support/store/scoring.ts'

async function lastCauses(store: Store) {
  const { events } = await store.events.list({ after: 0, limit: 100, types: ['score.changed'] })
  const event = events.at(-1)
  return event?.type === 'score.changed' ? causesOf(event.change) : []
}

onEveryEngine('the part of a score change that no credential explains', (open) => {
  test('has the cause "uncounted" if the category of a new credential counts toward no score', async () => {
    const skill = credential('a', { type: 'github', category: 'Skills', score: 5 })
    const given = record(1, { credentials: [skill], scores: { total: 5, skills: 5 } })
    await using store = await open([given])
    const odd = credential('b', { type: 'kite', category: 'Hobbies', score: 3 })
    await saveRecords(store, [{ ...given, credentials: [skill, odd] }])
    expect(await lastCauses(store)).toEqual([
      { type: 'kite', delta: 3, cause: 'added' },
      { delta: -3, cause: 'uncounted' },
    ])
  })

  test('has the cause "calculated" if a calculated score replaces that of the record', async () => {
    await using store = await open([record(1, { scores: { total: 26.5 } })])
    await hand(store, { id: 1 }, contracts(4))
    await scoreNow(store)
    expect(await lastCauses(store)).toEqual([
      { type: 'base_builder', delta: 12, cause: 'added' },
      { delta: -26.5, cause: 'calculated' },
    ])
  })

  test('has the cause "capped" if the rule set caps the category of a changed value', async () => {
    await using store = await open([record(1)])
    const { stamp: _, ...shape } = DEFAULT_RULES
    const capped = stampRules({ ...shape, caps: { Skills: 13 } })
    for (const amount of [4, 9]) {
      await hand(store, { id: 1 }, contracts(amount))
      await scoreNow(store, capped)
    }
    expect(await lastCauses(store)).toEqual([
      { type: 'base_builder', delta: 6, cause: 'value' },
      { delta: -5, cause: 'capped' },
    ])
  })
})
