import { expect, test } from 'bun:test'
import { createFixedWindow, createLimiter } from '../../src/api/rate-limit.ts'
import { serveExplorer } from '../support/explorer/explorer-server.ts'
import { openTestStore } from '../support/store/engines.ts'
import { NOON, PEOPLE } from '../support/store/records.ts'

test('searches, filters and comparisons count as more than one page, and a cached page counts as one', async () => {
  const now = () => NOON
  const limiter = createLimiter({
    tiers: [],
    counter: createFixedWindow(now),
    now,
    isQuotaUsed: () => false,
  })
  await using store = await openTestStore('sqlite', PEOPLE)
  await using server = serveExplorer(store, { limiter })
  let remaining = 300
  async function unitsOf(path: string): Promise<number> {
    const { headers } = await server.look(path)
    const left = Number(/r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1])
    const units = remaining - left
    remaining = left
    return units
  }
  expect(await unitsOf('/')).toBe(1)
  expect(await unitsOf('/passports/7')).toBe(1)
  expect(await unitsOf('/?q=ada')).toBe(3)
  expect(await unitsOf('/?human=true')).toBe(3)
  expect(await unitsOf('/?human=true')).toBe(1)
  expect(await unitsOf('/?q=ada&human=true')).toBe(5)
  expect(await unitsOf('/compare?ids=7,8,9')).toBe(3)
})
