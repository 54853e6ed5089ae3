import { expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { serveExplorer } from '../../support/explorer/explorer-server.ts'
import { shareServer } from '../../support/http/server.ts'
import { createLocalIndex } from '../../support/index/local-index.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { inventPeople } from '../../support/store/invented-people.ts'

const PEOPLE = inventPeople()

/** Starts a new server for each request, so that no page is cached. All servers share the index. */
function serveCounted(store: Store) {
  const index = createLocalIndex(store)
  return {
    async look(target: string) {
      let calls = 0
      const call: typeof index.call = (...request) => {
        calls++
        return index.call(...request)
      }
      const rasterize = async () => new Uint8Array(4)
      await using server = serveExplorer(store, { index, replace: () => ({ call }), rasterize })
      const { status, text } = await server.look(target)
      return { status, text, calls }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveCounted)

test.each([
  '/',
  '/?filter=tag:solidity,location:Lisbon,human:true',
  '/?q=a',
  '/?q=42',
  '/?q=a&sort=-skills_score',
  '/?q=e&filter=tag:solidity&sort=-identity_score',
  '/?q=solidity+lisb',
  '/?q=human+builders+in+lisbon+github+score:%3C300',
  '/?q=sparowbridge',
  // A word of accents alone is empty when folded.
  '/?q=qqqq+%CC%81',
  '/?q=builders+without+github+in+lisbon+or+lagos',
  '/?q=ytties+wcwiddies+ecties+plorkies+quanties+brimies+toltries+glempies+drackies+wompies+fnordies+zuppies',
  '/credentials',
  '/credentials/github',
])('the page %s is one call of the index', async (target) => {
  const { status, calls } = await server.look(target)
  expect([target, status, calls]).toEqual([target, 200, 1])
})

test.each(['/passports/1', '/compare?ids=1,2,3,4', '/card/1.png', '/about'])(
  'the page %s is at most four calls of the index',
  async (target) => {
    const { status, calls } = await server.look(target)
    expect([target, status]).toEqual([target, 200])
    expect(calls).toBeLessThanOrEqual(4)
  },
)
