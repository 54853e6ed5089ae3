import { expect, test } from 'bun:test'
import { readable, serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { ADA_WALLET, ada, credential, grace, graceOld, named, record } from '../../support/store/records.ts'

const active = { type: 'active_wallet', name: 'Ethereum User', category: 'Activity', score: 20, maxScore: 20 }

const mira = record(20, {
  scores: { total: 30, activity: 20, identity: 5, skills: 5 },
  profile: { displayName: 'Mira', location: 'Lisbon', tags: ['Poetry', 'zk'] },
  credentials: [credential('m', { type: 'ens', name: 'ENS', score: 5 }), credential('n', active)],
})

const PEOPLE = [
  ada,
  mira,
  grace,
  graceOld,
  named(21, 'Sam One', 1),
  named(22, 'Sam Two', 2),
  named(23, 'Uma', 3),
]

const rowOf = (text: string, title: string) =>
  [...text.matchAll(/<tr><th scope="row">[\s\S]*?<\/tr>/g)]
    .map(([row]) => readable(row))
    .find((row) => row.startsWith(title))

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveExplorer)

test('the comparison shows scores, ranks, credentials and tags side by side, and marks the highest values', async () => {
  const { status, text } = await server.look('/compare?ids=7,20')
  expect(status).toBe(200)
  expect(rowOf(text, 'Activity')).toMatch(/^Activity 12( ahead of \d+%)? 20.* highest$/)
  expect(rowOf(text, 'Rank among 6')).toMatch(/^Rank among 6 1st/)
  expect(rowOf(text, 'Level')).toBe('Level Regular Regular')
  expect(rowOf(text, 'Ethereum User')).toBe('Ethereum User 12 of 20 20 of 20 highest')
  expect(rowOf(text, 'GitHub')).toBe('GitHub 20.25 of 40 highest –')
  expect(rowOf(text, 'Tags')).toBe('Tags math poetry shared Poetry shared zk')
  expect(rowOf(text, 'Place')).toBe('Place London Lisbon')
  expect(text).toMatch(/<title>[^<]*Ada[^<]* and Mira compared/)
  expect(text).toContain('<a class="remove" href="/compare?ids=20" title="Remove">')
  expect(readable(text)).toMatch(/Ada[^,]* and Mira Share Add people /)
  expect(text).toMatch(/data-link="[^"]+\/compare\?ids=7,20"/)
  const groups = [...text.matchAll(/<tr class="group">[\s\S]*?<\/tr>/g)].map(([row]) => readable(row))
  expect(groups.slice(0, 2)).toEqual(['Scores', 'Activity'])
  expect(text).toContain('<svg class="bar thin" aria-hidden="true"><rect width="60%" height="100%"/></svg>')
})

test('the comparison has the share panel of a passport, with its own links', async () => {
  const { text } = await server.look('/compare?ids=7,20')
  expect(text).toContain('<button class="quiet" type="button" popovertarget="share">Share</button>')
  const panel = /<section id="share" popover>[\s\S]*?<\/section>/.exec(text)?.[0] ?? ''
  const title = 'Ada Lovélace 🐉 and Mira compared'
  const [words, page] = [`${title} on passportd`, `${server.url.origin}/compare?ids=7,20`]
  expect(panel).toContain(`data-link="${page}" data-title="${words}"`)
  const address = `text=${encodeURIComponent(words)}&amp;url=${encodeURIComponent(page)}`
  expect(panel).toContain(`href="https://x.com/intent/post?${address}" rel=`)
  expect(panel).not.toContain('id="badge"')
  expect((await server.look('/compare?ids=7')).text).not.toContain('id="share"')
})

test('the comparison of fewer than two people says where to select them', async () => {
  const { text } = await server.look('/compare?ids=7')
  expect(readable(text)).toContain(
    'Compare Ada Lovélace 🐉 with others Select two to four people in the list',
  )
  expect(text).toContain('href="/" data-select="7">Select people</a>')
  expect(text).not.toContain('<div class="compare panel">')
  const none = await server.look('/compare')
  expect(none.status).toBe(200)
  expect(readable(none.text)).toContain('Compare people Select two to four people')
  expect((await server.look('/compare?ids=7,20,21')).text).toContain('data-select="7,20,21"')
  expect((await server.look('/compare?ids=7,20,21,22')).text).not.toContain('data-select')
})

test('the comparison shows each person once, also those of merged and of unknown ids', async () => {
  const people = async (ids: string) => {
    const { text } = await server.look(`/compare?${new URLSearchParams({ ids })}`)
    return [...text.matchAll(/class="clamp compared" href="\/passports\/(\d+)"/g)].map(([, id]) => Number(id))
  }
  expect(await people('7, 20,,7')).toEqual([7, 20])
  expect(await people('900,3,20')).toEqual([3, 20])
  expect(await people('7,999999,20')).toEqual([7, 20])
  expect((await server.look('/compare?ids=999999')).status).toBe(404)
})

test.each(['Mira', 'lens:ada', ADA_WALLET, '7,20,21,22,23', `${2 ** 60}`])(
  'the comparison refuses %s, because it is not the ids of at most four passports',
  async (ids) => {
    const { status, text } = await server.look(`/compare?${new URLSearchParams({ ids })}`)
    expect(status).toBe(400)
    expect(readable(text)).toContain('ids must be at most 4 numbers of passports, got')
  },
)

test('the comparison of people with very many credentials is a small page', async () => {
  const value = 'x'.repeat(500)
  const credentials = Array.from({ length: 2000 }, (_, at) =>
    credential(`c${at}`, { type: `type ${at}`, name: `Credential ${at}`, score: 1 + at / 1000, value }),
  )
  const people = [1, 2, 3, 4].map((id) =>
    record(id, { credentials, profile: { tags: Array.from({ length: 200 }, (_, at) => `tag ${at}`) } }),
  )
  await using server = await servePeople(people)
  const { status, text } = await server.look('/compare?ids=1,2,3,4')
  expect(status).toBe(200)
  expect(text.length).toBeLessThan(100_000)
  expect(readable(text)).toContain('1,960 more')
  // The first six rows of a part are open.
  expect(text).toMatch(/Credential 1994<(?:(?!Credential \d).)*<summary>34 more<\/summary>/s)
})
