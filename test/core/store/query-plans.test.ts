import { Database } from 'bun:sqlite'
import { expect, spyOn, test } from 'bun:test'
import { INDEXED_READS } from '../../support/postgres/indexed-reads.ts'
import { addressOf, openTestStore } from '../../support/store/engines.ts'
import { openStore } from '../../support/store/open.ts'
import { record } from '../../support/store/records.ts'

/** One row, few rows, rows up to a limit, a small index, all rows because the index needs them, or the schema (`tables`). */
const SCANNED = [
  'SCAN event_log',
  'SCAN handles',
  'SCAN listing',
  'SCAN passports USING INDEX passports_stale',
  'SCAN saved_index',
  'SCAN tables',
]

test('SQLite uses an index to find rows of passports, for reads and for writes', async () => {
  await using migrated = await openTestStore('sqlite', [record(77), record(78), record(79)])
  using prepare = spyOn(Database.prototype, 'query')
  await using store = await openStore(addressOf(migrated))
  const { cursor } = await store.listing.readEnd()
  for (const [, work] of INDEXED_READS) await work(store, cursor)
  using file = new Database(migrated.url.slice('sqlite:'.length), { readonly: true })
  const texts = new Set(prepare.mock.calls.map(([text]) => text))
  const scans = [...texts].flatMap((text) => {
    if (/^(begin|rollback|pragma)|limit 1$/.test(text)) return []
    const plan = file.query(`explain query plan ${text}`).all() as { detail: string }[]
    // Other parts of the statement, which it names, and lists.
    const isPart = (name: string) => new RegExp(`\\b${name} \\([^()]+\\) as |\\) as ${name}\\b`).test(text)
    const isTable = (detail: string) =>
      !/^SCAN (\(|CONSTANT ROW|list )/.test(detail) && !isPart(detail.split(' ')[1] ?? '')
    return plan.map(({ detail }) => detail).filter((detail) => detail.startsWith('SCAN') && isTable(detail))
  })
  expect([...new Set(scans)].sort()).toEqual(SCANNED)
})
