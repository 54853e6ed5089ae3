import { expect, test } from 'bun:test'
import { onEveryEngine } from '../../support/store/engines.ts'
import { defineData, EXPORTS } from '../../support/store/open.ts'
import { NOON, record } from '../../support/store/records.ts'
import { tableOf } from '../../support/store/store-changes.ts'

/** The data of a feature that this release does not have. */
const NOTES = defineData({
  name: 'notes',
  tables: ['notes'],
  open: ({ write, read }) => ({
    create: () =>
      write('create table notes (id text primary key, passport_id bigint not null, text text not null)'),
    add: (id: string, passport: number, text: string) =>
      write('insert into notes (id, passport_id, text) values ($1, $2, $3)', [id, passport, text]),
    list: () => read.query<{ id: string }>('select * from notes order by id'),
  }),
})

onEveryEngine('a table with a column passport_id that no feature declares', (open) => {
  test('a removal deletes the rows of the person and of the merged passports, an export has them, and a copy, too', async () => {
    await using store = await open([record(7), record(8), record(9)])
    const notes = store.data(NOTES)
    await notes.create()
    for (const passport of [7, 8, 9]) await notes.add(`n${passport}`, passport, 'a note')
    await store.passports.merge(8, 7, NOON)
    expect(await notes.list()).toHaveLength(3)
    expect(await (await tableOf(store, 'notes')).list({ limit: 1 })).toMatchObject([{ id: 'n7' }])
    expect(await store.data(EXPORTS).export(8)).toMatchObject({
      notes: [
        { id: 'n7', passport_id: 7, text: 'a note' },
        { id: 'n8', passport_id: 8, text: 'a note' },
      ],
    })
    await store.passports.remove(7, NOON)
    expect(await notes.list()).toMatchObject([{ id: 'n9' }])
    await notes.add('n5', 5, 'a note about a passport that is not stored')
    await store.passports.remove(5, NOON)
    expect(await notes.list()).toMatchObject([{ id: 'n9' }])
  })
})
