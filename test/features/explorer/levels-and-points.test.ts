import { expect, test } from 'bun:test'
import { readable, serveExplorer } from '../../support/explorer/explorer-server.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { inventPeople } from '../../support/store/invented-people.ts'

const server = shareServer(() => openTestStore('sqlite', inventPeople()), serveExplorer)

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
