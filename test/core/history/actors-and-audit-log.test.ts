import { expect, test } from 'bun:test'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { AUDIT } from '../../support/store/open.ts'
import { ada, NOON, record } from '../../support/store/records.ts'
import { score, tableOf } from '../../support/store/store-changes.ts'

onEveryEngine('the actor of an event', (open) => {
  test('an event names its actor: the command line, the scorer, or the actor that is passed to the write', async () => {
    await using store = await open([record(1), ada])
    const actor = 'key:4ebad6e6fc'
    await score(store)
    await saveRecords(store, [record(2)], { actor })
    await store.passports.merge(1, 2, NOON)
    await store.passports.unmerge(1, NOON, actor)
    await store.passports.remove(1, NOON, 'subject')
    const { events } = await store.events.list({ after: 0, limit: 99 })
    expect(
      events.filter(({ type }) => type !== 'rules.changed').map(({ type, actor }) => `${type} ${actor}`),
    ).toEqual([
      'passport.added cli',
      'score.changed scorer',
      `passport.added ${actor}`,
      'passport.changed cli',
      `passport.changed ${actor}`,
      'passport.removed subject',
    ])
  })
})

onEveryEngine('the audit log', (open) => {
  test('old entries of the audit log are deleted in batches, oldest first', async () => {
    await using store = await open()
    const table = await tableOf(store, 'audit')
    const entries = Array.from({ length: 2500 }, (_, time) => ({
      ...{ id: Bun.randomUUIDv7('hex', time), time, actor: 'cli', action: 'keys.create', detail: '{}' },
    }))
    await table.replace({}, entries)
    const left = async () => (await store.data(AUDIT).list({ limit: 9999 })).map(({ time }) => time)
    expect(await store.data(AUDIT).removeOldest(2200)).toBe(true)
    expect(await left()).toEqual(
      entries
        .slice(1000)
        .map(({ time }) => time)
        .toReversed(),
    )
    while (await store.data(AUDIT).removeOldest(2200));
    expect(await left()).toEqual(
      entries
        .slice(2200)
        .map(({ time }) => time)
        .toReversed(),
    )
  })
})
