import { expect, test } from 'bun:test'
import { findList } from '../../../src/core/index/find.ts'
import { changeIndex } from '../../support/index/changing-index.ts'
import { findNaively } from '../../support/index/naive-index.ts'
import { inventRequest } from '../../support/index/random-people.ts'
import { createRandom } from '../../support/random.ts'

const REQUESTS = Number(process.env.RANDOM_LISTS ?? 500)
const ROUNDS = 5

test('lists are equal to a naive evaluation, between changes, removals, saves and loads', async () => {
  const random = createRandom(Number(process.env.SEED ?? 54))
  for await (const { index, people } of changeIndex(random, ROUNDS))
    for (let count = 0; count < REQUESTS / ROUNDS; count++) {
      const request = inventRequest(random, people)
      const first = findList(index, request)
      expect({ ...first, request }).toEqual({ ...findNaively(people, request), request })
      if (!first.next) continue
      // A position of a passport that is gone, or never was, has a place in the list, too.
      const { id, value } = first.next
      const other = { ...first.next, id: random.whole(0, 5000), value: value - random.pick([0, 1, 0.25]) }
      const next = { ...request, after: random.chance(0.5) ? { ...first.next, id } : other }
      expect({ ...findList(index, next), request: next }).toEqual({
        ...findNaively(people, next),
        request: next,
      })
    }
})
