import { expect, test } from 'bun:test'
import { createMatches, type Matches, shareSearches } from '../../src/store/matches.ts'
import { toOrder } from '../../src/store/order.ts'

test('whoever asks for what others have just left has a search of its own', async () => {
  const order = toOrder(new Uint32Array(0), { scores: [], counts: [] })
  const share = shareSearches()
  const left = Promise.withResolvers<Matches>()
  const first = share(
    'ada',
    order,
    async (areGone) => {
      await Promise.resolve()
      if (areGone()) left.reject(new Error('Its callers are gone.'))
      return left.promise
    },
    () => true,
  )
  first.catch(() => undefined)
  await left.promise.catch(() => undefined)
  const second = share('ada', order, async () => createMatches(order))
  expect((await second).total).toBe(0)
})
