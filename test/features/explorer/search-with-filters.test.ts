import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { readable, serveExplorer } from '../../support/explorer/explorer-server.ts'
import { rowsOf } from '../../support/explorer/ranking-rows.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { inventPeople } from '../../support/store/invented-people.ts'

const server = shareServer(() => openTestStore('sqlite', inventPeople()), serveExplorer)

test.each([
  ['solidity lisbon', 'people tagged “solidity” in Lisbon'],
  ['human builders in łódź', 'humans tagged “builder” in Łódź'],
  ['beginner or advanced', 'people with the level Beginner or Advanced'],
  ['solidity or zk in lisbon', 'people tagged “solidity” or “zk” in Lisbon'],
  ['builders without github', 'people tagged “builder” without GitHub'],
  ['not advanced', 'people with a score under 120 or at least 250'],
  ['builders without humans', 'people tagged “builder” without a human check'],
])(
  'the text %j finds the people of the v3 request that the page shows, in the same order',
  async (text, words) => {
    const page = (await server.look(`/?${new URLSearchParams({ q: text })}`)).text.replaceAll('&amp;', '&')
    const [, request = ''] = /The same list [^:]*: <a href="([^"]+)"/.exec(page) ?? []
    const { items, total } = JSON.parse((await server.look(`${request}&limit=250`)).text)
    expect(total).toBeGreaterThan(1)
    expect(readable(page)).toContain(` ${total} ${words} `)
    const paths = items.map((item: { passport_id: number }) => `/passports/${item.passport_id}`)
    expect(rowsOf(page).map(({ path }) => path)).toEqual(paths.slice(0, 20))
  },
)

test('a search by name with a filter names the people of the ranks', async () => {
  const { text } = await server.look('/?q=lars+lagos')
  expect(readable(text)).toContain('Rank among all 73')
})

test('a search that finds nobody says so once, says how to search, and links to all people', async () => {
  const { text } = await server.look('/?q=qwxzkjv')
  expect(text.match(/No (people|passport)/g)).toHaveLength(1)
  expect(readable(text)).toContain(' all other words, and words in double quotes, are one name or handle. ')
  expect(text).toContain('<a href="/">All passports by score</a>')
})

test('the start page and docs/explorer.md explain the search with the same sentences', async () => {
  const page = readable((await server.look('/')).text)
  const docs = readFileSync('docs/explorer.md', 'utf8').replaceAll('`', '')
  const [sentences = ''] = /A tag, place, credential, .* work too\./.exec(page) ?? []
  expect(docs).toContain(sentences.replaceAll(/[“”]/g, '"').replace('&gt;', '>'))
  expect(sentences.match(/\./g)).toHaveLength(3)
})

test.each([
  ['ada harborligt', 'ada harborlight'],
  ['harborlihgt adda', 'harborlight ada'],
  ['sparowbridge', 'sparrowbridge'],
  ['jarborlight', 'harborlight'],
  ['ada jarborlight', 'ada harborlight'],
  ['harbrligt', 'harborlight'],
  ['amberstine', 'amberstone'],
  ['human gingerbrige', 'gingerbridge'],
  [`${'ada '.repeat(6)}jarborlight`, undefined],
  ['qqqq', undefined],
  ['a'.repeat(200), undefined],
  ['qwe '.repeat(50), undefined],
  ['漢字仮名交じり文', undefined],
])('the page for %j lists nobody and links to the people of the similar name %j', async (typed, name) => {
  const { text } = await server.look(`/?${new URLSearchParams({ q: typed })}`)
  const [, address, offered, count] =
    /<a href="([^"]+)" rel="nofollow"><bdi>Names like “(.*?)”<\/bdi> <span>(\d+)/.exec(text) ?? []
  expect(offered).toBe(name as string)
  expect(rowsOf(text)).toEqual([])
  if (address)
    expect(rowsOf((await server.look(address.replaceAll('&amp;', '&'))).text)).toHaveLength(Number(count))
})

test('the link to a similar name keeps the filters and the order', async () => {
  const { text } = await server.look('/?q=sparowbridge&filter=human:false&sort=-skills_score')
  expect(text).toContain(
    '<a href="/?q=%22sparrowbridge%22&amp;filter=human:false&amp;sort=-skills_score" rel="nofollow"><bdi>Names like',
  )
})

test('rows of alternatives show the tags of the search first', async () => {
  const { text } = await server.look('/?q=security+or+zk')
  const tags = [
    ...text.matchAll(/<span class="about">.*?<a href="\/\?filter=tag:[^"]*" rel="nofollow"><bdi>(.*?)</g),
  ]
  expect(new Set(tags.map(([, tag]) => tag))).toEqual(new Set(['security', 'zk']))
})

test('a filter of v3 is a filter of the page, and an invalid one gets 400', async () => {
  const { text } = await server.look('/?filter=tag:!zk|solidity,type:github')
  const labels = [...text.matchAll(/Remove the filter <\/span>(.*?)<span/g)].map(([, label = '']) =>
    readable(label),
  )
  expect(labels).toEqual(['tag:!zk|solidity', 'with GitHub'])
  const { status, text: message } = await server.look('/?filter=name:x')
  expect(status).toBe(400)
  expect(readable(message)).toContain('&quot;name&quot; is not a known field')
})

test('the name of a level is one filter, which shows this name and can be removed', async () => {
  const { text } = await server.look('/?q=Advanced+in+lisbon')
  const chips = [...text.matchAll(/<a href="([^"]+)"><span class="unseen">Remove the filter .*?<bdi>(.*?)</g)]
  expect(chips.map(([, address, label]) => [label, address])).toEqual([
    ['Lisbon', '/?filter=score:%3C250,score:%3E%3D120'],
    ['the level Advanced', '/?filter=location:lisbon'],
  ])
})

test('filters are suggested for the end of the text, and keep the filters before it', async () => {
  const suggestionsFor = async (text: string) => {
    const page = await server.look(`/?${new URLSearchParams({ q: text })}`)
    const [list = ''] = /aria-label="Suggested filters".*?<\/ul>/.exec(page.text) ?? []
    return [...list.matchAll(/<a href="([^"]+)"[^>]*>(.*?)<\/a>/g)].map(
      ([, address, label = '']) => `${readable(label)} ${address}`,
    )
  }
  expect(await suggestionsFor('solidity l')).toContainEqual(
    expect.stringMatching(/^in Lisbon \d+ \/\?filter=location:lisbon,tag:solidity$/),
  )
  expect(await suggestionsFor('lisbon world id')).toEqual([])
})

test('the levels are offered without numbers', async () => {
  const { text } = await server.look('/?filter=tag:solidity')
  const [group = ''] = /<h2><a href="\/about#levels">Levels<\/a><\/h2>.*?<\/ul>/s.exec(text) ?? []
  expect(group).toContain('<bdi>Advanced</bdi></a>')
  expect(group).not.toContain('<span>')
})

test('another level replaces the chosen one', async () => {
  const { text } = await server.look('/?q=solidity+outstanding')
  const [group = ''] = /<h2><a href="\/about#levels">Levels<\/a><\/h2>.*?<\/ul>/s.exec(text) ?? []
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
  const { text, rows } = await read('/?filter=type:github&sort=-points:github')
  expect(rows).toHaveLength(20)
  expect(rows).toEqual((await read('/credentials/github')).rows)
  expect(text).toContain('<b>score ')
  expect(text).toMatch(/sort=-points:github" aria-current="true">Points</)
  expect(text).toContain('/api/v3/passports?filter=type:github&amp;sort=-points:github</code>')
  expect((await read('/?filter=type:github,type:lens')).text).not.toContain('>Points</a>')
})

test('a filter is suggested for the last word of a text only if no name remains', async () => {
  const suggestedFor = async (typed: string) =>
    /aria-label="Suggested filters".*?<\/ul>/s.exec((await server.look(`/?q=${typed}`)).text)?.[0] ?? ''
  expect(readable(await suggestedFor('solidity+l'))).toContain('in Lisbon')
  expect(await suggestedFor('ada+h')).toBe('')
})
