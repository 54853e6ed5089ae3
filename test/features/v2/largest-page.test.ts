import { expect, test } from 'bun:test'
import { V2_BODIES } from '../../../src/features/v2/statements.ts'
import { sizesOfLargestPage, sumOf } from '../../support/frozen/largest-page.ts'

test('a page of 250 passports with the largest accepted fields has at most 12 MB in V2', async () => {
  const sizes = await sizesOfLargestPage((store, ids) => store.data(V2_BODIES).listItems(ids))
  expect(sumOf(sizes)).toBeLessThan(12_000_000)
})
