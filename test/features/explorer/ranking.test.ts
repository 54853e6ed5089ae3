import { expect, test } from 'bun:test'
import { readable, serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { rowsOf as readRows } from '../../support/explorer/ranking-rows.ts'
import { shareServer } from '../../support/http/server.ts'
import { onEngine } from '../../support/store/engines.ts'
import { ADA_WALLET, ada, NOON, named, PEOPLE, record } from '../../support/store/records.ts'

const rowsOf = (text: string) => readRows(text).map(({ rank, name, score }) => `${rank} ${name} ${score}`)

const linksOf = (text: string) =>
  [
    ...(/<nav class="pager"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? '').matchAll(/href="([^"]+)"[^>]*>([^<]+)/g),
  ].map(([, address, words]) => `${words} ${address}`)

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => named(at + 1, `Person ${at + 1}`, 1000 - at))

onEngine('sqlite', 'the ranking', (open) => {
  const server = shareServer(() => open(PEOPLE), serveExplorer)

  test('the ranking lists passports by score, and equal scores share a rank', async () => {
    const { status, headers, text } = await server.look('/')
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(rowsOf(text)).toEqual(['1 Grace Hopper 42.5', '1 Ada Lovélace 🐉 42.5', '3 Passport 12 0'])
    expect(text).toContain('<h1 id="heading" aria-live="polite" data-live>3 passports</h1>')
    expect(text).toContain('<a class="name clamp" href="/passports/7">')
    expect(text).toContain('<title>activity 12, identity 10.25, skills 20.25</title>')
    expect(text.match(/<span class="about"><span class="pill">human<\/span>/g)).toHaveLength(1)
    expect(readable(text)).toContain('Rank activity identity skills Score Compare')
    expect(text).toMatch(/<a href="\/\?filter=location:london" rel="nofollow"><bdi>London<\/bdi>/)
    expect(text).toContain('<a href="/?filter=tag:math" rel="nofollow"><bdi>math</bdi></a>')
    expect(text).not.toMatch(/<script>|<style|style=|onclick/)
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

  test('a search by name ignores accents and case, and shows the rank among all passports', async () => {
    const { text } = await server.look('/?q=LOVELACE')
    expect(rowsOf(text)).toEqual(['1 Ada Lovélace 🐉 42.5'])
    expect(readable(text)).toContain('1 of 3 passports')
    expect(text).toContain('value="LOVELACE"')
  })

  test('a search finds passports by wallet and by id if no name matches', async () => {
    expect(rowsOf((await server.look(`/?q=${ADA_WALLET.toUpperCase().replace('0X', '0x')}`)).text)).toEqual([
      '1 Ada Lovélace 🐉 42.5',
    ])
    expect(rowsOf((await server.look('/?q=900')).text)).toEqual(['1 Grace Hopper 42.5'])
  })

  test('the ranking has 20 passports per page, and its page links keep the search text', async () => {
    await using server = await servePeople(many(60))
    const first = await server.look('/?q=person')
    expect(rowsOf(first.text)).toHaveLength(20)
    expect(linksOf(first.text)).toEqual(['Next /?q=person&amp;page=2', 'Last /?q=person&amp;page=3'])
    const second = await server.look('/?page=2')
    expect(rowsOf(second.text)[0]).toBe('21 Person 21 980')
    expect(readable(second.text)).toContain('Page 2 of 3')
    expect(linksOf(second.text)).toEqual(['First /', 'Previous /', 'Next /?page=3', 'Last /?page=3'])
    const last = await server.look('/?page=3')
    expect(rowsOf(last.text)).toHaveLength(20)
    expect(linksOf(last.text)).toEqual(['First /', 'Previous /?page=2'])
  })

  test('the ranking explains an empty search result and a page past the end', async () => {
    await using server = await servePeople(many(30))
    const nothing = await server.look('/?q=%3Cb%3Enobody')
    expect(nothing.status).toBe(200)
    expect(nothing.text).toContain('No people matching “&lt;b&gt;nobody”')
    const past = await server.look('/?page=9')
    expect(past.status).toBe(404)
    expect(readable(past.text)).toContain('There is no page 9.')
    expect(past.text).toContain('<a href="/?page=2">Go to the last page</a>')
  })

  test('with an empty database, the ranking shows how to import passports', async () => {
    await using server = await servePeople([])
    const { status, text } = await server.look('/?q=x')
    expect(status).toBe(200)
    for (const command of ['import people', 'mirror https://v1.example.com', 'serve --demo'])
      expect(text).toContain(`npm run -s passportd -- ${command}`)
    expect(text).toContain('The folder <code>docs</code> describes records')
    expect(text).toContain('The <a href="/reference/v3">API reference</a>')
    await server.store.records.save([{ kind: 'passport', passport: ada }], { now: NOON, restore: false })
    expect(rowsOf((await server.look('/')).text)).toHaveLength(1)
  })

  test('an unchanged page gets 304', async () => {
    for (const path of ['/', '/credentials/github']) {
      const { headers } = await server.look(path)
      const again = await server.look(path, { headers: { 'If-None-Match': headers.get('ETag') ?? '' } })
      expect([path, again.status]).toEqual([path, 304])
    }
  })
})

test('a trailing slash does not change the page', async () => {
  await using server = await servePeople(PEOPLE)
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
