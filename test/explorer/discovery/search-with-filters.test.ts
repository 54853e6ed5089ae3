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
  ['score between 100 and 150', 'people with a score at least 100 and at most 150'],
  ['100-150 in lisbon', 'people in Lisbon with a score at least 100 and at most 150'],
  ['skills over 30', 'people with a score over 30 for skills'],
  ['identity over 5 in nairobi', 'people in Nairobi with a score over 5 for identity'],
  ['outstanding', 'people with level Outstanding'],
  ['advanced in łódź', 'people in Łódź with level Advanced'],
  ['not human', 'people not shown to be human'],
  ['mar lisbon', 'people in Lisbon matching “mar”'],
  ['designers, world id, score over 50', 'people tagged “designer” with World ID and a score over 50'],
])(
  'the text %j finds the people of the v3 request that the page shows, in the same order',
  async (text, words) => {
    const page = await server.look(`/?${new URLSearchParams({ q: text })}`)
    const [, request = ''] = /The same list from the API: <a href="([^"]+)"/.exec(page.text) ?? []
    const response = await server.look(request.replaceAll('&amp;', '&'))
    const { items, total } = JSON.parse(response.text)
    expect(total).toBeGreaterThan(1)
    expect(readable(page.text)).toContain(` ${total} ${words} `)
    expect(rowsOf(page.text).map(({ path }) => path)).toEqual(
      items.slice(0, 20).map((item: { passport_id: number }) => `/passports/${item.passport_id}`),
    )
  },
)

test('a text whose last word only begins a place has chips for all filters of the list, and one sentence', async () => {
  const { text } = await server.look('/?q=builder+lis')
  expect(readable(text)).toMatch(
    /No passport matches “builder lis”; showing \d+ people tagged “builder” in Lisbon/,
  )
  const chips = [...text.matchAll(/Remove the filter <\/span>(.*?)<bdi>(.*?)</g)]
  expect(chips.map(([, word, label]) => `${word}${label}`)).toEqual(['tag builder', 'in Lisbon'])
  for (const other of ['were read as filters', 'Suggested filters']) expect(text).not.toContain(other)
})

test.each([
  ['solidity lisbn', 'people tagged “solidity” in Lisbon'],
  ['solidty', 'people tagged “solidity”'],
  ['humans in kapetown', 'humans in Cape Town'],
])('the text %j with a misspelt last word shows the %s', async (typed, words) => {
  const shown = readable((await server.look(`/?${new URLSearchParams({ q: typed })}`)).text)
  expect(shown).toMatch(new RegExp(`No passport matches “${typed}”; showing \\d+ ${words}`))
})

test('a text that nobody matches and that is like no tag or place has links to the searches without a word', async () => {
  const { text } = await server.look('/?q=ada+harborligt')
  expect(text).toContain('<a href="/?q=ada" rel="nofollow">Without <bdi>“harborligt”</bdi></a>')
  expect(text).toContain('<a href="/?q=harborligt" rel="nofollow">Without <bdi>“ada”</bdi></a>')
  expect((await server.look('/?q=qqqq')).text).not.toContain('Without')
  const filtered = await server.look('/?q=solidity+qqqq')
  expect(filtered.text).toContain('<a href="/?tag=solidity" rel="nofollow">Without <bdi>“qqqq”</bdi></a>')
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

test('the page of all tags and places finds them by the beginning of a word', async () => {
  const labelsAt = async (target: string) => {
    const { text } = await server.look(target)
    return [...text.matchAll(/<section id="(\w+)">.*?<\/section>/gs)].map(([section, id]) => [
      id,
      ...[...section.matchAll(/<li>(.*?)<\/li>/g)].map(([, chip = '']) => readable(chip)),
    ])
  }
  const [tags, places] = await labelsAt('/tags-and-places')
  expect(tags).toEqual([
    'tags',
    expect.stringMatching(/^builder \d+$/),
    ...Array(11).fill(expect.any(String)),
  ])
  expect(places?.join()).toMatch(/,Łódź \d+,/)
  expect(await labelsAt('/tags-and-places?q=TO')).toEqual([
    ['tags'],
    ['places', expect.stringMatching(/^Cape Town \d+$/)],
  ])
  const { text } = await server.look('/tags-and-places?q=%3Cxyz')
  expect(text).toContain('No tag has a word that begins with “&lt;xyz”.')
  expect(text).toContain('value="&lt;xyz"')
  expect((await server.look(`/tags-and-places?q=${'x'.repeat(201)}`)).status).toBe(400)
  expect((await server.look('/')).text).toContain('<a href="/tags-and-places">All tags</a>')
})
