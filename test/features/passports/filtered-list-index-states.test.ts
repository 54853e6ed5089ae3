import { expect, test } from 'bun:test'
import { type Reply, serveTest } from '../../support/http/server.ts'
import { catalogWithoutThread } from '../../support/store/catalog-without-thread.ts'
import { onEngine, saveRecords } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'

const PATH = '/api/v3/passports'
const pathOf = (parameters: Record<string, string>) => `${PATH}?${new URLSearchParams(parameters)}`
const idsOf = ({ body }: Reply): number[] =>
  body.items.map(({ passport_id }: { passport_id: number }) => passport_id)

onEngine('sqlite', 'a filtered list from the search thread', (open) => {
  test('a filtered list leaves out a passport that no longer matches, even if the index was built before the change', async () => {
    await using store = await open([1, 2, 3].map((id) => record(id, { human: true, scores: { total: id } })))
    using catalog = await catalogWithoutThread(store)
    await using server = serveTest(store, { catalog })
    const list = (sort: string) => server.get(pathOf({ filter: 'score:>1', sort }))
    expect(idsOf(await list('-score'))).toEqual([3, 2])
    await saveRecords(store, [record(3, { human: true, scores: { total: 0.5 } })])
    // This page is not cached yet.
    const reply = await list('score')
    expect(idsOf(reply)).toEqual([2])
    expect(reply.body.total).toBe(1)
  })

  test('filtered lists wait while the index is built, and the unfiltered ranking is served meanwhile', async () => {
    await using store = await open(Array.from({ length: 60 }, (_, id) => record(id)))
    const held = Promise.withResolvers<void>()
    const listing = {
      ...store.listing,
      async listFacets(ids: readonly number[]) {
        await held.promise
        return store.listing.listFacets(ids)
      },
    }
    using catalog = await catalogWithoutThread({ ...store, listing }, { mostAwaited: 0 })
    await using server = serveTest(store, { catalog })
    let early = 0
    const filtered = Array.from({ length: 9 }, async () => {
      const reply = await server.get(pathOf({ filter: 'human:false', limit: '60' }))
      early++
      return reply
    })
    // These large pages do not wait for those with a filter.
    for (const limit of ['60', '59'])
      expect((await server.get(pathOf({ limit }))).body.items).toHaveLength(Number(limit))
    expect(early).toBe(0)
    held.resolve()
    for (const reply of await Promise.all(filtered))
      expect(reply).toMatchObject({ status: 200, body: { total: 60 } })
    expect(server.errors).toEqual([])
  })

  test('filtered lists respond 500 if the index cannot be built, and the ranking stays available', async () => {
    await using store = await open([record(1)])
    using catalog = await catalogWithoutThread({
      ...store,
      listing: { ...store.listing, listFacets: () => Promise.reject(new Error('on purpose')) },
    })
    await using server = serveTest(store, { catalog })
    expect((await server.get(pathOf({ filter: 'human:true' }))).status).toBe(500)
    expect(server.errors).toMatchObject([{ message: 'on purpose' }])
    expect((await server.get(PATH)).status).toBe(200)
  })
})
