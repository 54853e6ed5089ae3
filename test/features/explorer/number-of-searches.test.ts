import { expect, test } from 'bun:test'
import type { Catalog } from '../../../src/core/index/catalog.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { everyTurn } from '../../support/every-turn.ts'
import { serveExplorer } from '../../support/explorer/explorer-server.ts'
import { rowsOf } from '../../support/explorer/ranking-rows.ts'
import { shareServer } from '../../support/http/server.ts'
import { foldName } from '../../support/program/text.ts'
import { createCatalog } from '../../support/store/catalog.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { inventPeople } from '../../support/store/invented-people.ts'

const PEOPLE = inventPeople()

/** Starts a new server for each request, so that no page is cached. All servers share the catalog. */
function serveCounted(store: Store) {
  const catalog = createCatalog(store)
  return {
    /** Calls `onList` before and after each evaluation of the facet index. */
    async look(target: string, onList = () => {}) {
      /** Counts evaluations of the facet index and searches of all names. */
      let evaluations = 0
      const list: Catalog['list'] = async (...request) => {
        evaluations++
        onList()
        const page = await catalog.list(...request)
        onList()
        return page
      }
      const find: Catalog['find'] = (request) => {
        if (request.keyword !== undefined) evaluations++
        return catalog.find(request)
      }
      const rasterize = async () => new Uint8Array(4)
      await using server = serveExplorer(store, { catalog, replace: () => ({ list, find }), rasterize })
      const { status, text } = await server.look(target)
      return { status, text, evaluations }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveCounted)

test.each([
  '/',
  '/?tag=solidity&place=Lisbon&human=true',
  '/?q=a',
  '/?q=42',
  '/?q=a&sort=skills',
  '/?q=a&human=true',
  '/?q=e&tag=solidity&sort=identity',
  '/?q=solidity+lisb',
  '/?q=a+solidity',
  '/?q=human+builders+in+lisbon+github+score:%3C300',
  '/?q=no+such+name',
  '/?q=sparowbridge',
  // A word of accents alone is empty when folded.
  '/?q=qqqq+%CC%81',
  '/?q=builders+without+github+in+lisbon+or+lagos',
  '/credentials',
  '/credentials/github',
  '/compare',
  '/compare?ids=1,2,3,4',
  '/passports/1',
  '/passports/1/score',
  '/passports/1/credentials',
  '/card/1.png',
  '/card/site.png',
])(
  'a request for %s searches the index at most three times, or four times if nobody is found',
  async (target) => {
    const { status, text, evaluations } = await server.look(target)
    expect([target, status]).toEqual([target, 200])
    expect(evaluations).toBeLessThanOrEqual(/data-count>(No |<)/.test(text) ? 4 : 3)
  },
)

// The server thread compares each phrase of the text with all known ones in one turn: 0.2 s of CPU for twelve words.
test.failing('the event loop runs while twelve words that match nobody are compared', async () => {
  let turns = 0
  using _turns = everyTurn(() => turns++)
  const seen: number[] = []
  const text =
    'ytties wcwiddies ecties plorkies quanties brimies toltries glempies drackies wompies fnordies zuppies'
  await server.look(`/?${new URLSearchParams({ q: text })}`, () => seen.push(turns))
  const [, end, nextBegin] = seen
  expect(nextBegin).toBeGreaterThan(end as number)
})

const PARTS = ['total', 'skills'] as const

test.each(
  PARTS.flatMap((sort) =>
    ['q=a', 'q=maple&human=false', 'tag=solidity&page=2'].map((query) => [sort, query] as const),
  ),
)('ranks by %s on the page ?%s equal those of a naive count', async (sort, query) => {
  const asked = new URLSearchParams(query)
  const [human, tag] = [asked.get('human'), asked.get('tag')]
  const filtered = PEOPLE.filter(
    (person) =>
      person.mergedInto === undefined &&
      (human === null || String(person.human) === human) &&
      (tag === null || person.profile.tags.some((each) => foldName(each) === tag)),
  )
  const rows = rowsOf((await server.look(`/?${query}&sort=${sort}`)).text)
  expect(rows.length).toBeGreaterThan(0)
  for (const { path, rank } of rows) {
    const id = Number(path.split('/').at(-1))
    const { scores } = PEOPLE.find((person) => person.id === id) as (typeof PEOPLE)[number]
    const above = filtered.filter((person) => (person.scores?.[sort] ?? 0) > (scores?.[sort] ?? 0)).length
    expect([path, rank]).toEqual([path, (1 + above).toLocaleString('en')])
  }
})
