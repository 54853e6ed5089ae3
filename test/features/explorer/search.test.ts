import { expect, test } from 'bun:test'
import { highlight } from '../../../src/ui/people-list.ts'
import { cleanText, shortenText } from '../../../src/ui/text.ts'
import { readable, serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { HOSTILE_NAMES } from '../../support/explorer/hostile-names.ts'
import { rowsOf } from '../../support/explorer/ranking-rows.ts'
import { shareServer } from '../../support/http/server.ts'
import { foldName } from '../../support/program/text.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { inventPeople } from '../../support/store/invented-people.ts'
import { record, social } from '../../support/store/records.ts'

const person = (id: number, displayName: string, total: number, more: Parameters<typeof record>[1] = {}) =>
  record(id, { ...more, profile: { displayName, ...more.profile }, scores: { total } })

const PEOPLE = [
  person(42, 'Rūta', 5, { mainWallet: '0xDE30ab1111111111111111111111111111111111' }),
  person(7, 'olamide_42', 50, { socials: [social('github', 'Zoe'), social('basename', 'ola.base.eth')] }),
  person(8, 'Zoetrope', 40, { mainWallet: '0xde30ab2222222222222222222222222222222222' }),
  person(9, 'Mira', 30, { socials: [social('lens', 'zoe_m')], profile: { tags: ['ZK', 'zkSync'] } }),
  person(10, '', 20, {
    verifiedWallets: ['DemoSo1anaAddress'],
    dataPoints: [{ type: 'ens', account: '', value: { kind: 'flag', amount: 1 }, display: 'walter.eth' }],
  }),
  { ...person(11, 'Old Mira', 1, { socials: [social('twitter', 'oldmira')] }), mergedInto: 9 },
]

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveExplorer)
const rowsFor = async (text: string) => rowsOf((await server.look(`/?q=${encodeURIComponent(text)}`)).text)
const namesFor = async (text: string) => (await rowsFor(text)).map(({ name }) => name)
const reasonsFor = async (text: string) => (await rowsFor(text)).map(({ about }) => about)

test('a number finds the passport with this id first, even if names contain the digits', async () => {
  expect(await namesFor('42')).toEqual(['Rūta', 'olamide_42'])
  expect(await namesFor('#42')).toEqual(['Rūta'])
  expect(await namesFor('passport 42')).toEqual(['Rūta'])
  expect(await namesFor('Passport 10')).toEqual(['Passport 10'])
  expect((await reasonsFor('42'))[0]).toStartWith('<mark>Passport 42</mark>')
  expect(readable((await server.look('/?q=42')).text)).toContain('2 of 5 passports')
})

test('a handle finds its owner, with or without a source such as "github:"', async () => {
  expect((await namesFor('github:zoe'))[0]).toBe('olamide_42')
  expect((await namesFor('GitHub: @Zoe'))[0]).toBe('olamide_42')
  for (const text of ['https://github.com/zoe', 'github.com/zoe'])
    expect((await namesFor(text))[0]).toBe('olamide_42')
  expect((await namesFor('https://lens.example/u/@zoe_m'))[0]).toBe('Mira')
  expect(await namesFor('zoe')).toEqual(['olamide_42', 'Zoetrope', 'Mira'])
  expect((await reasonsFor('zoe'))[0]).toStartWith('github:<mark>zoe</mark>')
  expect((await reasonsFor('zoe'))[2]).toStartWith('lens:<mark>zoe</mark>_m')
  expect(await namesFor('@zoe_m')).toEqual(['Mira'])
  expect(await namesFor('ola.base.eth')).toEqual(['olamide_42'])
  expect(await namesFor('walter.eth')).toEqual(['Passport 10'])
  expect(await namesFor('walt')).toEqual(['Passport 10'])
})

test('beside filters, a single word finds the owner of this handle', async () => {
  await using both = await servePeople([
    person(1, 'Ann', 5, { profile: { location: 'Lisbon' }, socials: [social('github', 'Zoe')] }),
    person(2, 'Ben', 6, { profile: { location: 'Porto' }, socials: [social('lens', 'zoe')] }),
    person(3, 'Zoe Cole', 7, { profile: { location: 'Lisbon' } }),
    person(4, 'Dan', 8, { profile: { location: 'Lisbon' }, socials: [social('lens', 'lisbon')] }),
  ])
  const rows = rowsOf((await both.look('/?q=zoe+lisbon')).text)
  expect(rows.map(({ name }) => name)).toEqual(['Ann', 'Zoe Cole'])
  expect(rows[0]?.about).toStartWith('github:<mark>zoe</mark>')
  expect(rowsOf((await both.look('/?q=lisbon+@ZOE')).text).map(({ name }) => name)).toEqual(['Ann'])
})

test('a tag is read as a filter, and tags that begin with the text are suggested', async () => {
  const { text } = await server.look('/?q=zk')
  expect(readable(text)).toContain('1 person tagged “ZK”')
  expect(rowsOf(text).map(({ name }) => name)).toEqual(['Mira'])
  expect(text).toContain('value="zk"')
  const part = await server.look('/?q=zksy')
  expect(readable(part.text)).toContain('No people matching “zksy”')
  expect(part.text).toContain('href="/?filter=tag:zksync" rel="nofollow">tag <bdi>zkSync</bdi>')
  expect((await server.look('/?filter=tag:zk&q=zksy')).text).toContain('href="/?filter=tag:zk,tag:zksync"')
})

test('a word that is both a tag and a name is read as a tag, with a link to the people of that name', async () => {
  await using both = await servePeople([
    person(1, 'Ida', 5, { profile: { tags: ['Rose'], location: 'Lisbon' } }),
    person(2, 'Rose', 4, { profile: { tags: ['zk'], location: 'Lisbon' } }),
    person(3, 'Rosemary', 3),
  ])
  const namesAt = async (target: string) => rowsOf((await both.look(target)).text).map(({ name }) => name)
  const { text } = await both.look('/?q=rose+lisbon')
  expect(rowsOf(text).map(({ name }) => name)).toEqual(['Ida'])
  expect(readable(text)).toContain('Search names for “rose lisbon” instead.')
  expect(text).toContain('href="/?q=%22rose+lisbon%22"')
  expect(await namesAt('/?q=%22rose%22&filter=location:lisbon')).toEqual(['Rose'])
  expect(await namesAt('/?q=%22rose%22')).toEqual(['Rose', 'Rosemary'])
  expect(await namesAt('/?q=%22rose%22&filter=tag:zk')).toEqual(['Rose'])
  const none = await both.look('/?q=rose+zk+mary')
  expect(readable(none.text)).toContain('No people tagged “Rose” and “zk” matching “mary”')
})

test('matches in names are marked, regardless of accents and case', async () => {
  const { text } = await server.look('/?q=RUT')
  expect(text).toContain('<bdi><mark>Rūt</mark>a</bdi>')
})

test('every search text gets a page, even a hostile name or a single symbol', async () => {
  const texts = [
    ...HOSTILE_NAMES.map((name) => name.slice(0, 150)),
    '%',
    '_',
    "'",
    ':',
    'github:',
    '@',
    '…',
    '0x',
  ]
  for (const text of texts) {
    const { status } = await server.look(`/?q=${encodeURIComponent(text.toWellFormed())}`)
    expect([text, status]).toEqual([text, 200])
  }
})

test('the total of a search counts each passport once', async () => {
  await using server = await servePeople(inventPeople())
  for (const text of ['1', '42', '100', 'mar', 'ada', 'maple']) {
    const seen: string[] = []
    let total = 0
    for (let page = 1; page <= 60; page++) {
      const { text: markup } = await server.look(`/?q=${text}&page=${page}`)
      const rows = rowsOf(markup)
      if (rows.length === 0) break
      total = Number(/([\d,]+) of 1,000 passports/.exec(readable(markup))?.[1]?.replace(',', ''))
      seen.push(...rows.map(({ path }) => path))
    }
    expect([text, new Set(seen).size, seen.length]).toEqual([text, total, total])
  }
})

test('a search finds tags and places by name, and shows only the first 20 of many wallets with the same prefix', async () => {
  await using server = await servePeople(inventPeople())
  const pageOf = async (text: string) => readable((await server.look(`/?q=${encodeURIComponent(text)}`)).text)
  expect(await pageOf('educator')).toMatch(/\d people tagged “educator” Find a person/)
  expect(await pageOf('cape town')).toMatch(/\d people in Cape Town Find a person/)
  expect(await pageOf('istanbul')).toMatch(/\d people in İstanbul Find a person/)
  expect(await pageOf('İSTANBUL')).toMatch(/\d people in İstanbul Find a person/)
  expect(await pageOf('0xde30')).toContain('At least 20 people matching “0xde30”')
})

test('a wallet that matches as the handle of an account is short and has no source before it', async () => {
  const wallet = `0xab${'0'.repeat(34)}c0de`
  await using server = await servePeople([person(1, 'Zed', 5, { socials: [social('base_builder', wallet)] })])
  expect(readable((await server.look('/?q=0xab')).text)).toContain(' Zed 0xab …c0de ')
})

test('highlighting adds only mark elements to a name', () => {
  for (const name of ['Ada  Lovélace 🐉', 'Straße', '山田太郎', ...HOSTILE_NAMES].map((each) =>
    shortenText(cleanText(each), 80),
  )) {
    for (const keyword of ['a', 'love', 'ss', 'e<', '&', '田', foldName(name).slice(1, 4) || 'x']) {
      const marked = highlight(name, keyword).markup
      expect(marked.replace(/<\/?mark>/g, '')).toBe(highlight(name, '').markup)
    }
  }
  expect(highlight('Rūta Inkwell', 'ink ruta').markup).toBe('<mark>Rūta</mark> <mark>Ink</mark>well')
  expect(highlight('Martin Ingram', 'in').markup).toBe('Martin <mark>In</mark>gram')
  expect(highlight('Ada Thimblevane', 'ada h').markup).toBe('<mark>Ada</mark> Thimblevane')
  expect(highlight('Straße', 'ss').markup).toBe('Stra<mark>ß</mark>e')
  expect(highlight('a<b>b', 'b').markup).toBe('a&lt;<mark>b</mark>&gt;b')
})
