import { expect, test } from 'bun:test'
import { readable, serveExplorer } from '../../support/explorer/explorer-server.ts'
import { rowsOf } from '../../support/explorer/ranking-rows.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { inventPeople } from '../../support/store/invented-people.ts'

const server = shareServer(() => openTestStore('sqlite', inventPeople()), serveExplorer)

test.each([
  ['solidity lisbon', 'people tagged “solidity” in Lisbon'],
  ['human builders in łódź', 'humans tagged “builder” in Łódź'],
  ['github over 20', 'people with GitHub over 20 points'],
  ['score over 200', 'people with a score over 200'],
  ['score between 100 and 150', 'people with a score of 100 to 150'],
  ['100-150 in lisbon', 'people in Lisbon with a score of 100 to 150'],
  ['skills over 30', 'people with skills over 30'],
  ['identity over 5 in nairobi', 'people in Nairobi with identity over 5'],
  ['outstanding', 'people with the level Outstanding'],
  ['advanced in łódź', 'people in Łódź with the level Advanced'],
  ['solidity or zk in lisbon', 'people in Lisbon tagged “solidity” or “zk”'],
  ['builders without github', 'people tagged “builder” without GitHub'],
  ['not in lisbon or łódź', 'people not in Lisbon or Łódź'],
  ['github 10-20', 'people with GitHub 10 to 20 points'],
  ['not human', 'people without a human check'],
  ['builders without humans', 'people tagged “builder” without a human check'],
  ['not human builders', 'people tagged “builder” without a human check'],
  ['advanced or outstanding', 'people with a score of at least 120'],
  ['score 100 in lisbon', 'people in Lisbon with a score of at least 100'],
  ['designers, world id, score over 50', 'people tagged “designer” with World ID and a score over 50'],
])(
  'the text %j finds the people of the v3 request that the page shows, in the same order unless that is points',
  async (text, words) => {
    const page = (await server.look(`/?${new URLSearchParams({ q: text })}`)).text.replaceAll('&amp;', '&')
    const [, order, request = ''] = /The same (\w+)[^:]*: <a href="([^"]+)"/.exec(page) ?? []
    const { items, total } = JSON.parse((await server.look(`${request}&limit=250`)).text)
    expect(total).toBeGreaterThan(1)
    expect(readable(page)).toContain(` ${total} ${words} `)
    const paths = items.map((item: { passport_id: number }) => `/passports/${item.passport_id}`)
    const found = rowsOf(page).map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(found))
    if (order === 'list') expect(found).toEqual(paths.slice(0, 20))
  },
)

test.each([
  ['lis', 'Lisbon'],
  ['toky', 'Tokyo 東京'],
])('the text "builder %s" has chips for all filters of the list, and one sentence', async (word, place) => {
  const { text } = await server.look(`/?q=builder+${word}`)
  expect(readable(text)).toMatch(new RegExp(`\\d+ people tagged “builder” in ${place}`))
  const chips = [...text.matchAll(/Remove the filter <\/span>(.*?)<bdi>(.*?)</g)]
  expect(chips.map(([, word, label]) => `${word}${label}`)).toEqual(['tag builder', `in ${place}`])
  for (const other of ['Search names for', 'Suggested filters']) expect(text).not.toContain(other)
})

test.each([
  ['who is human in tokyo', 'humans in Tokyo 東京'],
  ['human builders lisb', 'humans tagged “builder” in Lisbon'],
  ['human outst', 'humans with the level Outstanding'],
  ['hum', 'humans'],
])('the text %j, whose words begin filters, shows the %s without an excuse', async (typed, words) => {
  const shown = readable((await server.look(`/?${new URLSearchParams({ q: typed })}`)).text)
  expect(shown).toMatch(new RegExp(`\\d+ ${words}`))
  expect(shown).not.toContain('No passport')
})

test('a search by name with a filter names the people of the ranks, and explains "human" only if a row has it', async () => {
  const { text } = await server.look('/?q=lars+lagos')
  expect(readable(text)).toContain('Rank among all 73')
  expect(text).not.toContain('/about#human')
  expect((await server.look('/?place=lagos')).text).toContain('/about#human')
})

test('a search that finds nobody says so once, with an example that finds people', async () => {
  const { text } = await server.look('/?q=qwxzkjv')
  expect(text.match(/No (people|passport)/g)).toHaveLength(1)
  const [, example = ''] = /Or choose:.*?<a href="([^"]+)"/.exec(text) ?? []
  expect(rowsOf((await server.look(example)).text)).toHaveLength(20)
})

test.each([
  ['solidity lisbn', 'people tagged “solidity” in Lisbon'],
  ['solidty', 'people tagged “solidity”'],
  ['solidty lisbn', 'people tagged “solidity” in Lisbon'],
  ['solidty ada', 'people tagged “solidity” matching “ada”'],
  ['biulders without githb', 'people tagged “builder” without GitHub'],
  ['solidty lisb', 'people tagged “solidity” in Lisbon'],
  ['humans in kapetown', 'humans in Cape Town'],
  ['tokio', 'people in Tokyo 東京'],
  ['builders in tokio', 'people tagged “builder” in Tokyo 東京'],
  ['solid lis', 'people tagged “solidity” in Lisbon'],
])('the text %j with misspelt or begun words shows the %s', async (typed, words) => {
  const shown = readable((await server.look(`/?${new URLSearchParams({ q: typed })}`)).text)
  expect(shown).toMatch(new RegExp(`\\d+ ${words} Find a person`))
  expect(shown).toContain(`No exact match for “${typed}”. These people match the most similar words.`)
})

test.each([
  ['lisbn', true],
  ['designers', false],
  ['top skills in tok', false],
])('the page for %j says whether the words were corrected', async (typed, isCorrected) => {
  const shown = readable((await server.look(`/?${new URLSearchParams({ q: typed })}`)).text)
  expect(shown.includes('No exact match for')).toBe(isCorrected)
})

test.each([
  ['highest identity', '1,000 people by identity'],
  ['top skills in tokyo', ' people in Tokyo 東京 by skills'],
  ['most active in lisbon', ' people in Lisbon by activity'],
  ['humans in lisbon by skills', 'humans in Lisbon by skills'],
])('the text %j sorts: %j', async (typed, words) => {
  const { text } = await server.look(`/?${new URLSearchParams({ q: typed })}`)
  expect(readable(text)).toContain(words)
  const scores = rowsOf(text).map(({ score }) => Number(score))
  expect(scores).toEqual(scores.toSorted((one, other) => other - one))
  expect(scores).toHaveLength(20)
})

const linksIn = (text: string) => [
  ...text.matchAll(/<a href="([^"]+)" rel="nofollow">((?:Without|Remove|Only) .*?)<\/a>/g),
]

test.each([
  ['ada harborligt', ['Without “harborligt” 19']],
  ['harborlight adda', ['Without “adda” 3']],
  ['ada over 20 under 10', ['Remove score under 10 19']],
  ['qqqq', []],
])(
  'a page for %j, which nobody matches, links only to lists that find people: %j',
  async (typed, expected) => {
    const { text } = await server.look(`/?${new URLSearchParams({ q: typed })}`)
    const links = linksIn(text)
    expect(links.map(([, , label = '']) => readable(label).trim()).slice(0, expected.length)).toEqual(
      expected,
    )
    if (expected.length === 0) expect(links).toEqual([])
    for (const [, address = '', label = ''] of links) {
      const page = await server.look(address.replaceAll('&amp;', '&'))
      const [count] = /[\d,]+$/.exec(readable(label).trim()) ?? []
      expect(readable(page.text)).toContain(` ${count} of 1,000 passports`)
    }
  },
)

test.each([
  ['solidity qqqq', 248, 'qqqq'],
  ['solidity chief qqqq lisbon', 21, 'chief qqqq'],
])(
  'the page for %j lists the %i people of its filters and names the words that match nobody: %j',
  async (typed, total, words) => {
    const { text } = await server.look(`/?${new URLSearchParams({ q: typed })}`)
    expect(readable(text)).toMatch(new RegExp(` ${total} of 1,000 passports .*“${words}” is no tag, place`))
    expect(rowsOf(text)).toHaveLength(20)
  },
)

test.each([
  ['ada harborligt', 'Ada Harborlight'],
  ['harborlihgt adda', 'Ada Harborlight'],
  ['sparowbridge', 'Sparrowbridge'],
  ['sparow', 'Sparrow'],
  ['harborlite', 'Harborlight'],
  ['jarborlight', 'Harborlight'],
  ['ada jarborlight', 'Ada Harborlight'],
  ['qqqq', undefined],
  ['a'.repeat(200), undefined],
  ['qwe '.repeat(50), undefined],
  ['漢字仮名交じり文', undefined],
])('the page for %j shows the people of the similar name %j', async (typed, name) => {
  const { text } = await server.look(`/?${new URLSearchParams({ q: typed })}`)
  const [, address, offered] = /Results for <a href="([^"]+)"><bdi>(.*?)<\/bdi>/.exec(text) ?? []
  expect(offered).toBe(name as string)
  const shown = (page: string) => rowsOf(page).map(({ path, rank, score }) => [path, rank, score])
  if (!address) return expect(shown(text)).toEqual([])
  expect(shown(text)).not.toEqual([])
  expect(readable(text)).toContain(`Results for ${name} Find a person`)
  expect(shown(text)).toEqual(shown((await server.look(address)).text))
})

test.each(['human=false', 'sort=skills'])(
  'a page with %s, whose ranks would need another search, links to the similar name',
  async (parameter) => {
    const { text } = await server.look(`/?q=sparowbridge&${parameter}`)
    expect(readable(text)).toContain('Did you mean Sparrowbridge ?')
    expect(rowsOf(text)).toEqual([])
  },
)

test.each([
  ['who rose this week', '/movers'],
  ['new people', '/movers#-added'],
  ['new this week', '/movers#-added'],
])('a search for %j opens %s', async (typed, address) => {
  const { status, headers } = await server.look(`/?${new URLSearchParams({ q: typed })}`)
  expect([status, headers.get('location')]).toEqual([303, address])
})

test('“or” between other words means both, and the heading says so', async () => {
  const pageOf = async (text: string) => readable((await server.look(`/?q=${text}`)).text)
  expect(await pageOf('builder+or+lisbon')).toMatch(/\d people tagged “builder” in Lisbon Find/)
  expect(await pageOf('beginner+or+outstanding')).toContain(
    'No people with the level Beginner and the level Outstanding',
  )
})

test('rows of alternatives show the tags of the search first', async () => {
  const { text } = await server.look('/?q=security+or+zk')
  const tags = [...text.matchAll(/<span class="about">.*?\?tag=[^>]*><bdi>(.*?)</g)]
  expect(new Set(tags.map(([, tag]) => tag))).toEqual(new Set(['security', 'zk']))
})

test.each(['ada', 'new york'])('a search for %j does not link to movers', async (typed) => {
  const { text } = await server.look(`/?${new URLSearchParams({ q: typed })}`)
  expect(text).not.toContain('href="/movers#')
})

test('the text "top 10" shows the ranking of all people', async () => {
  const [page, all] = await Promise.all(['/?q=top+10', '/'].map((target) => server.look(target)))
  expect(rowsOf(page?.text ?? '')).toEqual(rowsOf(all?.text ?? ''))
})

test('a page after the end of a list of suggested people responds 404 with the last page', async () => {
  const { status, text } = await server.look('/?q=buil&page=99999')
  expect(status).toBe(404)
  expect(text).toContain('<a href="/?tag=builder&amp;page=14">Go to the last page</a>')
})

test('a filter of v3 is a filter of the page, and an invalid one gets 400', async () => {
  const { text } = await server.look('/?filter=tag:!zk|solidity&filter=type:github')
  const labels = [...text.matchAll(/Remove the filter <\/span><bdi>(.*?)</g)].map(([, label]) => label)
  expect(labels).toEqual(['tag:!zk|solidity', 'with GitHub'])
  const { status, text: message } = await server.look('/?filter=name:x')
  expect(status).toBe(400)
  expect(readable(message)).toContain('&quot;name&quot; is not a known field')
})

test('the name of a level is one filter, which shows this name and can be removed', async () => {
  const { text } = await server.look('/?q=Advanced+in+lisbon')
  const chips = [...text.matchAll(/<a href="([^"]+)"><span class="unseen">Remove the filter .*?<bdi>(.*?)</g)]
  expect(chips.map(([, address, label]) => [label, address])).toEqual([
    ['Lisbon', '/?score=%3E%3D120%3C250'],
    ['level Advanced', '/?place=lisbon'],
  ])
})

test('a search that finds handles, or several words of a name, says that the API searches only names', async () => {
  for (const text of ['1', 'ada harbor'])
    expect(readable((await server.look(`/?q=${text}`)).text)).toContain(
      'A similar list (names only) from the API: /api/v3/passports?q=',
    )
})

test('filters are suggested for the end of the text, and keep the filters before it', async () => {
  const suggestionsFor = async (text: string) => {
    const page = await server.look(`/?${new URLSearchParams({ q: text })}`)
    const [list = ''] = /aria-label="Suggested filters".*?<\/ul>/.exec(page.text) ?? []
    return [...list.matchAll(/<a href="([^"]+)"[^>]*>(.*?)<\/a>/g)].map(
      ([, address, label = '']) => `${readable(label)} ${address}`,
    )
  }
  expect(await suggestionsFor('solidity l')).toContain('in Lisbon /?tag=solidity&amp;place=lisbon')
  expect(await suggestionsFor('l')).toContainEqual(expect.stringMatching(/^in Lisbon \d+ \/\?place=lisbon$/))
  const { text } = await server.look('/?q=zoe+ethereum+us')
  expect(text).toContain(
    'href="/?q=zoe"><span class="unseen">Remove the filter </span>has <bdi>Ethereum User',
  )
  expect(await suggestionsFor('lisbon world id')).toEqual([])
})
