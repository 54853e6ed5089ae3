import { expect, test } from 'bun:test'
import { listAll } from '../../../../support/index/local-index.ts'
import { connect } from '../../../../support/postgres/connection-urls.ts'
import { testDatabase } from '../../../../support/postgres/postgres.ts'
import { openTestStore, saveRecords } from '../../../../support/store/engines.ts'
import { openPostgres } from '../../../../support/store/open.ts'
import { credential, named, record } from '../../../../support/store/records.ts'

const NAMES = ['a', 'B', 'é', 'Z', 'z', 'A', 'ß', '_', '李', '1']
const person = record(1, {
  credentials: NAMES.map((name, at) => credential(`${NAMES[(at * 3) % NAMES.length]}`, { name })),
})
const people = [...NAMES, 'Ada Lovelace', 'ÅSA', 'Straße', 'жук', 'İstanbul'].map((name, id) =>
  named(id + 2, name),
)

test('postgres: a database with a language-specific collation has the same sort order and search results', async () => {
  await using database = await testDatabase({
    template: `template0 locale_provider icu icu_locale 'en-US'`,
  })
  const { url } = database
  await using english = connect(url)
  expect([...(await english`select 'a' < 'B' as orders`)]).toEqual([{ orders: true }])

  await using store = await openPostgres({ url })
  await saveRecords(store, [person, ...people])
  await using sqlite = await openTestStore('sqlite', [person, ...people])
  expect((await store.passports.findWithCredentials({ id: 1 }))?.credentials).toEqual(
    (await sqlite.passports.findWithCredentials({ id: 1 }))?.credentials,
  )
  expect(await store.records.list(0, 1)).toEqual(await sqlite.records.list(0, 1))
  for (const keyword of 'a b e z ss asa strasse ada жу 李 i istanbul _'.split(' ')) {
    expect(await listAll(store, { keyword })).toEqual(await listAll(sqlite, { keyword }))
  }
})
