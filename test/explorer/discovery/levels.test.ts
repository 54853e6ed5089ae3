import { expect, test } from 'bun:test'
import { readable, serveExplorer } from '../../support/explorer/explorer-server.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { inventPeople } from '../../support/store/invented-people.ts'

const server = shareServer(() => openTestStore('sqlite', inventPeople()), serveExplorer)

test.each([
  '/',
  '/?tag=solidity',
  '/?q=solidity+lisbon',
  '/?q=ada',
  '/?sort=skills',
  '/?tag=zk&sort=identity',
])('the levels beside %s count all its people', async (target) => {
  const { text } = await server.look(target)
  const [, total] = /<h1[^>]*>(?:<span[^>]*>)?(?:Explore )?([\d,]+)/.exec(text) ?? []
  const [group = ''] = /<h2>Levels<\/h2>.*?<\/ul>/s.exec(text) ?? []
  const chips = [...group.matchAll(/<a href="([^"]+)".*?<span>([\d,]+)<\/span>/g)]
  const numberOf = (figure = '') => Number(figure.replaceAll(',', ''))
  expect(chips.length).toBeGreaterThan(1)
  expect(chips.reduce((sum, [, , people]) => sum + numberOf(people), 0)).toBe(numberOf(total))
  for (const [, address = '', people] of chips) {
    const list = readable((await server.look(address.replaceAll('&amp;', '&'))).text)
    expect(list).toContain(` ${people} of 1,000 passports`)
  }
})

test('another level replaces the chosen one', async () => {
  const { text } = await server.look('/?q=solidity+outstanding')
  const [group = ''] = /<h2>Levels<\/h2>.*?<\/ul>/s.exec(text) ?? []
  const [, address = '', people] =
    /.*<a href="([^"]+)"[^>]*><svg .*?<\/svg><bdi>Advanced<\/bdi> <span>(\d+)/.exec(group) ?? []
  expect(readable((await server.look(address.replaceAll('&amp;', '&'))).text)).toContain(
    `${people} people tagged “solidity” with the level Advanced`,
  )
  expect(group).not.toContain('Outstanding')
})
