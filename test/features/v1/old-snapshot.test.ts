import { expect, test } from 'bun:test'
import { serveTest } from '../../support/http/server.ts'
import { buildSnapshot, createSharedCatalog } from '../../support/store/catalog.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { NOON, named } from '../../support/store/records.ts'

onEveryEngine('pages of an old snapshot', (open) => {
  test('pages that are built from an old snapshot show the current ranking, total and passports', async () => {
    const before = Array.from({ length: 60 }, (_, id) => named(id + 1, `Ada ${id + 1}`, 60 - id))
    await using store = await open(before)
    const catalog = createSharedCatalog()
    const snapshot = await buildSnapshot(store.listing)
    catalog.update(snapshot)
    await using server = serveTest(store, { catalog })
    // One batch renames all passports, adds two and changes a score. Then one passport is removed and one is merged.
    const after = before.map(({ id, scores }) => named(id, `Bob ${id}`, id === 60 ? 99 : scores.total))
    await saveRecords(store, [...after, named(70, 'Bob 70', 58.5), named(71, 'Bob 71', 0)])
    await store.passports.remove(2, NOON)
    await store.passports.merge(20, 30)

    const pages = []
    for (const page of [1, 2, 3, 4]) {
      const { body } = await server.get(`/api/v1/passports?per_page=25&page=${page}`)
      expect(body.pagination).toEqual({ current_page: page, last_page: 3, total: 60 })
      pages.push(...body.passports)
    }
    const listed = [...after.map(({ id }) => id), 70, 71].filter((id) => id !== 2 && id !== 20)
    const scoreOf = (id: number) => (id === 60 ? 99 : id === 70 ? 58.5 : id === 71 ? 0 : 61 - id)
    expect(pages.map(({ passport_id }) => passport_id)).toEqual(
      listed.toSorted((one, other) => scoreOf(other) - scoreOf(one) || one - other),
    )
    for (const { passport_id, passport_profile } of pages) {
      expect(passport_profile.display_name).toBe(`Bob ${passport_id}`)
    }
  })
})
