import { expect, test } from 'bun:test'
import { V1_BODIES } from '../../../src/features/v1/statements.ts'
import { sizesOfLargestPage, sumOf } from '../../support/frozen/largest-page.ts'

test('a page of 250 passports with the largest accepted fields has at most 8 MB in V1', async () => {
  const sizes = await sizesOfLargestPage((store, ids) => store.data(V1_BODIES).listItems(ids))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(32_000)
  expect(sumOf(sizes)).toBeLessThan(8_000_000)
})
