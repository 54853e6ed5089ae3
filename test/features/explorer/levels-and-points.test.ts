import { expect, test } from 'bun:test'
import { readable, serveExplorer } from '../../support/explorer/explorer-server.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { inventPeople } from '../../support/store/invented-people.ts'

const server = shareServer(() => openTestStore('sqlite', inventPeople()), serveExplorer)

test('the levels are offered without numbers', async () => {
  const { text } = await server.look('/?tag=solidity')
  const [group = ''] = /<h2>Levels<\/h2>.*?<\/ul>/s.exec(text) ?? []
  expect(group).toContain('<bdi>Advanced</bdi></a>')
  expect(group).not.toContain('<span>')
})

test('another level replaces the chosen one', async () => {
  const { text } = await server.look('/?q=solidity+outstanding')
  const [group = ''] = /<h2>Levels<\/h2>.*?<\/ul>/s.exec(text) ?? []
  const [, address = ''] = /.*<a href="([^"]+)"[^>]*><svg .*?<\/svg><bdi>Advanced<\/bdi>/.exec(group) ?? []
  expect(readable((await server.look(address.replaceAll('&amp;', '&'))).text)).toContain(
    'people tagged “solidity” with the level Advanced',
  )
  expect(group).not.toContain('Outstanding')
})

test('a list of people with one credential can be sorted by its points, like the page of the credential', async () => {
  const read = async (target: string) => {
    const { text } = await server.look(target)
    const rows = [...text.matchAll(/<li id="p(\d+)">.*?Points <\/span>(\d+)<\/span>/gs)]
    return { text, rows: rows.map(([, id, points]) => [Number(id), Number(points)]) }
  }
  const { text, rows } = await read('/?credential=github&sort=points')
  expect(rows).toHaveLength(20)
  expect(rows).toEqual((await read('/credentials/github')).rows)
  expect(text).toContain('<b>score ')
  expect(text).toMatch(/sort=points" aria-current="true">Points</)
  expect(readable(text)).toContain('The same people by score from the API')
  for (const target of ['/?sort=points', '/?credential=github&credential=lens&sort=points']) {
    const other = (await server.look(target)).text
    expect(other).not.toContain('sort=points"')
    expect(other).toMatch(/aria-current="true">Total</)
  }
})

test('a filter is suggested for the last word of a text only if no name remains', async () => {
  const suggestedFor = async (typed: string) =>
    /aria-label="Suggested filters".*?<\/ul>/s.exec((await server.look(`/?q=${typed}`)).text)?.[0] ?? ''
  expect(readable(await suggestedFor('solidity+l'))).toContain('in Lisbon')
  expect(await suggestedFor('ada+h')).toBe('')
})

test.each([
  ['developers', '1,000 people by skills'],
  ['developer lagos', '73 people in Lagos by skills'],
  ['solidity engineers', '248 people tagged “solidity” by skills'],
])('the occupation in %j asks for an order: %s', async (typed, words) => {
  const shown = readable((await server.look(`/?${new URLSearchParams({ q: typed })}`)).text)
  expect(shown).toContain(` ${words} Find a person`)
  expect(shown).not.toContain('No exact match')
  expect(shown).toContain('The occupation is no tag or credential here, so the people are sorted by skills.')
})

test.each([
  ['github contributions over 1000', 'people with GitHub at least 16 points'],
  ['more than 500 stars', 'people with GitHub Engagement at least 7 points'],
  ['over 1000 transactions in lisbon', 'people in Lisbon with Ethereum User at least 13 points'],
  ['under 100 contributions', 'people with GitHub at most 5 points'],
])('the amount in %j is compared by its points', async (typed, words) => {
  const shown = readable((await server.look(`/?${new URLSearchParams({ q: typed })}`)).text)
  expect(shown).toMatch(new RegExp(`\\d+ ${words} Find a person`))
  expect(shown).toContain(
    'Amounts are compared by the points that they earn, so some people have less or more.',
  )
})

test('words that nobody has, beside an occupation, find nobody, and are offered without them', async () => {
  const shown = readable((await server.look('/?q=rust+developers')).text)
  expect(shown).toContain('No people matching “rust” by skills')
  expect(shown).toContain('These searches find people: Without “rust” 1,000')
  expect(shown).not.toContain('sorted by skills')
})

test.each([['hackathon', 'people with ETHGlobal or TAIKAI or Base Buildathon']])(
  'the word in %j is one of the names of credentials, or of their descriptions',
  async (typed, words) => {
    const shown = readable((await server.look(`/?${new URLSearchParams({ q: typed })}`)).text)
    expect(shown).toMatch(new RegExp(`\\d+ ${words} Find a person`))
    expect(shown).toContain(`No exact match for “${typed}”.`)
  },
)

test('a search for a single word that may be a name links to the movers', async () => {
  const { status, text } = await server.look('/?q=falling')
  expect(status).toBe(200)
  expect(text).toContain('<p class="notice">See the <a href="/movers#change">movers</a>')
})
