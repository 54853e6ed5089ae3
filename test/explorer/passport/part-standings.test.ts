import { expect, test } from 'bun:test'
import { createCatalog } from '../../../src/catalog/catalog.ts'
import { ClientGone } from '../../../src/domain/errors.ts'
import { createPartStandings } from '../../../src/explorer/site/standings.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'

test('pages that are requested at once all have standings, also if the client of the first one leaves', async () => {
  await using store = await openTestStore('sqlite', [record(1, { scores: { total: 9, skills: 9 } })])
  const catalog = createCatalog(store)
  const first = Promise.withResolvers<never>()
  let calls = 0
  const errors: unknown[] = []
  const find = createPartStandings({
    catalog: {
      ...catalog,
      list: (...request) => (++calls === 1 ? first.promise : catalog.list(...request)),
    },
    onError: (error) => errors.push(error),
  })
  const { signal } = new AbortController()
  const scores = [{ total: 9, activity: 0, identity: 0, skills: 9 }]
  const [gone, second] = [find(scores, signal), find(scores, signal)]
  first.reject(new ClientGone())
  expect(gone).rejects.toThrow(ClientGone)
  expect(await second).toEqual([{ skills: 1 }])
  expect(errors).toEqual([])
})
