import { expect, test } from 'bun:test'
import { createFacetIndex } from '../../../../src/core/index/facet-index.ts'
import { findList, type ListRequest } from '../../../../src/core/index/postings/find.ts'
import { changeIndex } from '../../../support/index/changing-index.ts'
import { inventRequest } from '../../../support/index/random-people.ts'
import { createRandom } from '../../../support/random.ts'
import { toStored } from '../../../support/store/naive-list.ts'

const REQUESTS = Number(process.env.RANDOM_LISTS ?? 500)
const ROUNDS = 8

type FacetIndex = ReturnType<typeof createFacetIndex>

/** The answer of the facet index in the form of the other index. */
function findInFacetIndex(index: FacetIndex, request: ListRequest) {
  const { groups, ranks, after, offset = 0, ...list } = request
  const old = { ...list, after, offset: after ? 0 : offset }
  const { ids, next, total, ranking } = index.find({ ...old, ranksOf: ranks })
  return {
    ids,
    next,
    total,
    groups: groups?.map(({ field }) => index.find({ ...old, groupBy: field }).grouped),
    ranking: ranking && { among: ranking.among, ofValues: ranks?.map((value) => ranking.ranks.get(value)) },
  }
}

function findInPostings(index: Parameters<typeof findList>[0], request: ListRequest) {
  const { ids, next, total, groups, ranking } = findList(index, request)
  return {
    ids,
    next,
    total,
    groups: groups?.map(({ groups, more }) => ({
      groups: groups.map(({ value, count }) => ({ value, count })),
      more,
    })),
    ranking: ranking && { among: ranking.among, ofValues: ranking.ofValues },
  }
}

test('lists are equal to those of the facet index, between changes, removals, saves and loads', async () => {
  const random = createRandom(Number(process.env.SEED ?? 54))
  const facets = createFacetIndex()
  let requests = 0
  for await (const { index, people, change } of changeIndex(random, ROUNDS)) {
    facets.replace(change.ids, change.added.map(toStored))
    for (let count = 0; count < REQUESTS / ROUNDS; count++) {
      const { groups = [], ...list } = inventRequest(random, people)
      const request = {
        ...list,
        limit: Math.max(1, list.limit),
        groups: groups.map(({ field }) => ({ field })),
      }
      const first = findInPostings(index, request)
      expect({ ...first, request }).toEqual<unknown>({ ...findInFacetIndex(facets, request), request })
      requests++
      if (!first.next) continue
      const next = { ...request, after: first.next }
      expect({ ...findInPostings(index, next), next }).toEqual<unknown>({
        ...findInFacetIndex(facets, next),
        next,
      })
      requests++
    }
  }
  expect(requests).toBeGreaterThan(REQUESTS)
})
