import { expect, test } from 'bun:test'
import { readable, serveExplorer, servePeople, testPages } from '../../support/explorer/explorer-server.ts'
import { rowsOf as readRows } from '../../support/explorer/ranking-rows.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore, saveRecords } from '../../support/store/engines.ts'
import { ADA_WALLET, ada, named, PEOPLE, record } from '../../support/store/records.ts'

const rowsOf = (text: string) => readRows(text).map(({ rank, name, score }) => `${rank} ${name} ${score}`)

const linksOf = (text: string) =>
  [
    ...(/<nav class="pager"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? '').matchAll(/href="([^"]+)"[^>]*>([^<]+)/g),
  ].map(([, address, words]) => `${words} ${address}`)

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => named(at + 1, `Person ${at + 1}`, 1000 - at))

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveExplorer)

testPages(server, {
  'the ranking links the tags and places of people, and has no inline script or style': [
    '/',
    [
      '<h1 id="heading" aria-live="polite" data-live>3 passports</h1>',
      '<a class="name clamp" href="/passports/7">',
      '<title>activity 12, identity 10.25, skills 20.25</title>',
      'Rank activity identity skills Score Compare',
      /<a href="\/\?filter=location:london" rel="nofollow"><bdi>London<\/bdi>/,
      '<a href="/?filter=tag:math" rel="nofollow"><bdi>math</bdi></a>',
    ],
    [/<script>|<style|style=|onclick/],
  ],
  'a search shows the number of matches and keeps its text': [
    '/?q=LOVELACE',
    ['1 of 3 passports', 'value="LOVELACE"'],
  ],
})

test.each([
  ['the ranking lists passports by score, and equal scores share a rank', '/', 3],
  ['a search by name ignores accents and case, and shows the rank among all passports', '/?q=LOVELACE', 1],
  ['a search finds a passport by wallet', `/?q=${ADA_WALLET.toUpperCase().replace('0X', '0x')}`, 1],
])('%s', async (_, path, count) => {
  const rows = rowsOf((await server.look(path)).text)
  const all = ['1 Grace Hopper 42.5', '1 Ada Lovélace 🐉 42.5', '3 Passport 12 0']
  expect(rows).toEqual(count === 3 ? all : all.slice(1, 2))
})

test('a search finds the survivor by the id of a merged passport, and one row is marked as human', async () => {
  expect(rowsOf((await server.look('/?q=900')).text)).toEqual(['1 Grace Hopper 42.5'])
  const { text } = await server.look('/')
  expect(text.match(/<span class="about"><span class="pill">human<\/span>/g)).toHaveLength(1)
})

test('passports with equal scores have the same rank even if they are on different pages', async () => {
  const same = Array.from({ length: 30 }, (_, at) => named(at + 1, `Person ${at + 1}`, at === 0 ? 9 : 8))
  await using server = await servePeople([...same, named(31, 'Person 31', 7)])
  expect(rowsOf((await server.look('/?page=2')).text)).toEqual([
    ...[21, 22, 23, 24, 25, 26, 27, 28, 29, 30].map((id) => `2 Person ${id} 8`),
    '31 Person 31 7',
  ])
  expect(rowsOf((await server.look('/?q=31')).text)).toEqual(['31 Person 31 7'])
})

test('the ranking has 20 passports per page, its page links keep the search text, and there is no page past the end', async () => {
  await using server = await servePeople(many(60))
  const pages: [path: string, links: string[]][] = [
    ['/?q=person', ['Next /?q=person&amp;page=2', 'Last /?q=person&amp;page=3']],
    ['/?page=2', ['First /', 'Previous /', 'Next /?page=3', 'Last /?page=3']],
    ['/?page=3', ['First /', 'Previous /?page=2']],
  ]
  for (const [path, links] of pages) {
    const { text } = await server.look(path)
    expect([path, rowsOf(text).length, linksOf(text)]).toEqual([path, 20, links])
  }
  const second = (await server.look('/?page=2')).text
  expect(rowsOf(second)[0]).toBe('21 Person 21 980')
  expect(readable(second)).toContain('Page 2 of 3')
  const past = await server.look('/?page=9')
  expect([past.status, readable(past.text)]).toEqual([404, expect.stringContaining('There is no page 9.')])
  expect(past.text).toContain('<a href="/?page=3">Go to the last page</a>')
})

test('with an empty database, the ranking shows how to import passports', async () => {
  await using server = await servePeople([])
  const { status, text } = await server.look('/?q=x')
  expect(status).toBe(200)
  for (const command of ['import people', 'mirror https://v1.example.com', 'serve --demo'])
    expect(text).toContain(`npm run -s passportd -- ${command}`)
  expect(text).toContain('The folder <code>docs</code> describes records')
  expect(text).toContain('The <a href="/reference/v3">API reference</a>')
  await saveRecords(server.store, [ada])
  expect(rowsOf((await server.look('/')).text)).toHaveLength(1)
})

test('an unchanged page gets 304', async () => {
  for (const path of ['/', '/credentials/github']) {
    const { headers } = await server.look(path)
    const again = await server.look(path, { headers: { 'If-None-Match': headers.get('ETag') ?? '' } })
    expect([path, again.status]).toEqual([path, 304])
  }
})

test('a trailing slash does not change the page', async () => {
  for (const path of ['/passports/7', '/passports/7/score', '/badge/7.svg', '/card/7.svg']) {
    const [plain, slashed] = [await server.look(path), await server.look(`${path}/`)]
    expect([path, slashed.status, slashed.text === plain.text]).toEqual([path, 200, true])
  }
})

test('very long tags and locations are truncated', async () => {
  const late = `${'\u200d'.repeat(10_000)}too late`
  const tags = [late, ...Array<string>(200).fill('&'.repeat(20_000))]
  await using server = await servePeople([record(1, { profile: { location: late, tags } })])
  for (const target of ['/', '/passports/1']) {
    const { status, text } = await server.look(target)
    expect(status).toBe(200)
    expect(text).toContain('&amp;…<')
    expect(text).not.toContain('too late')
    expect(text.length).toBeLessThan(300_000)
  }
})
