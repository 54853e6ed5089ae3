import { expect, test } from 'bun:test'
import { readable, serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { rowsOf } from '../../support/explorer/ranking-rows.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { inventPeople } from '../../support/store/invented-people.ts'
import { credential, record } from '../../support/store/records.ts'

const PEOPLE = [
  record(1, {
    human: true,
    profile: { displayName: 'Ana', location: 'São Paulo', tags: ['ZK', 'data'] },
    scores: { total: 60, activity: 10, identity: 20, skills: 30 },
    credentials: [
      credential('a', { type: 'github', name: 'GitHub', category: 'Skills', score: 30, maxScore: 40 }),
    ],
  }),
  record(2, {
    profile: { displayName: 'Ben', location: 'sao paulo', tags: ['zk'] },
    scores: { total: 50, activity: 5, identity: 5, skills: 40 },
  }),
  record(3, {
    human: true,
    profile: { displayName: 'Cleo', location: 'Lisbon', tags: ['zk', 'a,b|c:"d"'] },
    scores: { total: 40, activity: 40, identity: 0, skills: 0 },
  }),
  record(4, { profile: { displayName: 'Dan' }, scores: { total: 0 } }),
]

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveExplorer)
const namesAt = async (target: string) => rowsOf((await server.look(target)).text).map(({ name }) => name)

test.each([
  'filter=tag:zk,tag:data',
  'filter=location:S%C3%A3o%20Paulo',
  'filter=human:false,tag:zk&sort=-activity_score',
  `filter=${encodeURIComponent('tag:"a,b|c:\\"d\\""')}`,
  'filter=score:%3E=40,score:%3C60',
  'filter=points:github+%3E+29&sort=-points:github',
  'q=an&sort=-skills_score',
])('the page /?%s lists the people of the same list of v3', async (query) => {
  const { items } = (await server.get(`/api/v3/passports?${query}`)).body
  expect(items).not.toBeEmpty()
  const paths = items.map((item: { passport_id: number }) => `/passports/${item.passport_id}`)
  expect(rowsOf((await server.look(`/?${query}`)).text).map(({ path }) => path)).toEqual(paths)
})

test('people with equal scores share a rank in a list by a part of the score, and the heading names comparisons', async () => {
  const rows = rowsOf((await server.look('/?sort=-skills_score')).text)
  expect(rows.map(({ rank, score }) => `${rank} ${score}`)).toEqual(['1 40', '2 30', '3 0', '3 0'])
  const { text } = await server.look('/?filter=points:github%3E29,score:%3C=60.50')
  expect(text).toContain('>1 person with GitHub over 29 points and a score at most 60.5</span></h1>')
})

test('a filtered list shows the ranks among its own people, and a search does not change these ranks', async () => {
  const { text } = await server.look('/?filter=human:false')
  expect(rowsOf(text).map(({ name, rank }) => `${rank} ${name}`)).toEqual(['1 Ben', '2 Dan'])
  expect(readable(text)).toContain('Rank among these 2 activity identity skills Score Compare')
  expect(rowsOf((await server.look('/?filter=human:false&q=dan')).text)[0]?.rank).toBe('2')
  expect(rowsOf((await server.look('/?q=dan')).text)[0]?.rank).toBe('4')
  const { text: byPart } = await server.look('/?sort=-skills_score')
  expect(byPart).toContain('<span>Rank</span></div>\n<span>Skills</span>')
})

test('a list that is filtered by a credential shows the points of each person for it', async () => {
  const aboutAt = async (target: string) => rowsOf((await server.look(target)).text).map(({ about }) => about)
  expect(await aboutAt('/?filter=points:github%3E20')).toEqual([
    expect.stringContaining('<b>30 GitHub points</b>'),
  ])
  expect(await aboutAt('/?filter=type:github,points:github%3C40')).toEqual([
    expect.stringContaining('<b>30 GitHub points</b>'),
  ])
  expect(await aboutAt('/?filter=points:github%3E20&sort=-skills_score')).toEqual([
    expect.stringContaining('<b>30 GitHub points</b>'),
  ])
  expect((await aboutAt('/?filter=score:%3E50'))[0]).not.toContain('points')
  const { text } = await server.look('/?filter=points:github%3E20')
  expect(text).toContain('<a href="/credentials/github">How this credential is earned')
})

test('all spellings and orders of the same filters have one canonical address', async () => {
  const canonicalOf = async (target: string) => {
    const [, address] =
      /rel="canonical" href="[^"]*?(\/[?][^"]*)"/.exec((await server.look(target)).text) ?? []
    return address
  }
  for (const target of [
    '/?filter=tag:zk,tag:data,location:sao+paulo',
    '/?filter=location:S%C3%A3o%20Paulo,tag:DATA,tag:ZK,tag:zk&sort=-score&page=1',
    '/?q=zk+data+in+S%C3%A3o+Paulo',
    '/?q=data&filter=tag:zk,location:sao+paulo',
  ])
    expect([target, await canonicalOf(target)]).toEqual([
      target,
      '/?filter=location:sao+paulo,tag:data,tag:zk',
    ])
  expect(await canonicalOf('/?filter=score:%3E020.0')).toBe('/?filter=score:%3E20')
  expect(await canonicalOf('/?q=%22zk%22')).toBe('/?q=%22zk%22')
})

test('links in a row keep the filters and the order, and the tags of the filters come first', async () => {
  const { text } = await server.look('/?filter=tag:data&sort=-skills_score')
  const about = rowsOf(text)[0]?.about
  expect(about).toContain(
    'href="/?filter=location:sao+paulo,tag:data&amp;sort=-skills_score" rel="nofollow">',
  )
  expect(about).toEndWith(
    '<bdi>data</bdi><a href="/?filter=tag:data,tag:zk&amp;sort=-skills_score" rel="nofollow"><bdi>ZK</bdi></a>',
  )
  expect(readable(about ?? '')).toStartWith('score 60 human')
  const holders = await server.look('/credentials/github')
  expect(rowsOf(holders.text)[0]?.about).toContain(
    'href="/?filter=location:sao+paulo,type:github&amp;sort=-points:github"',
  )
})

test('the heading describes the list, and each active filter has a link that removes it', async () => {
  const { text } = await server.look('/?filter=tag:zk,location:sao+paulo,human:true&sort=-skills_score')
  expect(text).toContain('>1 human tagged “ZK” in São Paulo by skills</span></h1>')
  expect(text).toContain(
    '<a href="/?filter=human:true,location:sao+paulo&amp;sort=-skills_score"><span class="unseen">Remove',
  )
  expect(text).toContain('<a href="/?sort=-skills_score">Clear all</a>')
  expect(readable(text)).toContain('1 of 4 passports')
  expect(text).toContain('<link rel="canonical" href="')
})

test('each suggested filter shows how many people remain with it', async () => {
  const { text } = await server.look('/?filter=tag:zk')
  for (const [filter, label, people] of [
    ['tag:data,tag:zk', 'data', 1],
    ['location:sao+paulo,tag:zk', 'São Paulo', 2],
    ['tag:zk,type:github', 'GitHub', 1],
    ['human:true,tag:zk', 'human', 2],
  ]) {
    const link = `<a href="/?filter=${filter}" rel="nofollow"><bdi>${label}</bdi> <span>${people}</span></a>`
    expect(text).toContain(link)
  }
  expect(text).not.toContain('<a href="/?filter=tag:zk" rel')
})

test('the first page suggests filters, with their counts among all passports', async () => {
  const { text } = await server.look('/')
  expect(text).toContain('<a href="/?filter=tag:zk" rel="nofollow"><bdi>ZK</bdi> <span>3</span></a>')
  expect(readable(text)).toContain('A passport is a person’s public record of work')
})

test('the search keeps the filters', async () => {
  const { text } = await server.look('/?filter=tag:zk&sort=-skills_score')
  expect(text).toContain(
    '<input type="hidden" name="filter" value="tag:zk"><input type="hidden" name="sort" value="-skills_score">',
  )
})

test('a list without a match says so in its heading', async () => {
  const { status, text } = await server.look('/?filter=tag:nothing')
  expect(status).toBe(200)
  expect(readable(text)).toContain('No people tagged “nothing”')
})

test('blank and unknown parameters are ignored, and an invalid value gets a 400 that explains it', async () => {
  expect(await namesAt('/?filter=+&sort=&utm_source=x')).toEqual(['Ana', 'Ben', 'Cleo', 'Dan'])
  const sentences = {
    '/?filter=human:maybe': 'expected human:true or human:false, got &quot;maybe&quot;.',
    '/?sort=name': 'sort must be one of score, activity_score',
    '/?filter=score:few': 'expected a number for score, such as score:&gt;50, got &quot;few&quot;.',
    [`/?q=${'x'.repeat(201)}`]: 'q must be at most 200 characters, got 201.',
  }
  for (const [target, sentence] of Object.entries(sentences)) {
    const { status, text } = await server.look(target)
    expect([target, status]).toEqual([target, 400])
    expect(text).toContain(sentence)
  }
})

test.each([
  [
    '/?tag=zk&tag=Data&place=S%C3%A3o+Paulo&human=true',
    '/?filter=human:true,location:sao+paulo,tag:data,tag:zk',
  ],
  ['/?credential=GitHub&sort=points&page=1', '/?filter=type:github&sort=-points:github'],
  ['/?q=ana&points=GitHub%3E20&sort=skills', '/?q=ana&filter=points:github%3E20&sort=-skills_score'],
  ['/?score=%3E=120%3C250&score=skills%3E5', '/?filter=score:%3C250,score:%3E%3D120,skills_score:%3E5'],
  ['/?filter=tag:!zk|data&filter=type:github', '/?filter=tag:%21zk%7Cdata,type:github'],
  ['/?sort=total&tag=', '/'],
])('the earlier address %s leads to %s', async (target, address) => {
  const { status, headers } = await server.look(target)
  expect([status, headers.get('Location')]).toEqual([301, address])
  expect((await server.look(address)).status).toBe(200)
})

test('compressed pages have less than 15 KB', async () => {
  await using server = await servePeople(inventPeople())
  const targets = [
    '/',
    '/?page=25',
    '/?page=50',
    '/?q=a',
    '/?filter=tag:zk,human:true&sort=-skills_score',
    '/?q=solidity+lisbon',
    '/credentials',
    '/credentials/github',
  ]
  for (const target of [...targets, '/compare?ids=2,7,8,10']) {
    const request = { headers: { Accept: 'text/html', 'Accept-Encoding': 'gzip' }, decompress: false }
    const response = await fetch(server.url.origin + target, request)
    expect([target, response.headers.get('Content-Encoding')]).toEqual([target, 'gzip'])
    const bytes = (await response.arrayBuffer()).byteLength
    expect([target, bytes < 15_000]).toEqual([target, true])
  }
})

const error = new TypeError('on purpose')
const serveBroken = () => servePeople(PEOPLE, { replace: () => ({ call: () => Promise.reject(error) }) })

test.each(['/', '/?filter=tag:zk', '/credentials', '/passports/1'])(
  'an unexpected error of the index makes %s respond with 500, and is logged',
  async (target) => {
    await using server = await serveBroken()
    expect((await server.look(target)).status).toBe(500)
    expect(server.errors).toEqual([error])
  },
)
