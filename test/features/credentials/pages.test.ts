import { expect, test } from 'bun:test'
import type { Credential } from '../../../src/core/passport/credential.ts'
import { describeRule, describeType, findKnown } from '../../../src/core/passport/rules/describe-type.ts'
import { unitOf } from '../../../src/features/credentials/credential-page.ts'
import { formatShare } from '../../../src/ui/text.ts'
import { readable, serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { rowsOf } from '../../support/explorer/ranking-rows.ts'
import { pointOf, rescore } from '../../support/explorer/sample-passport.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { credential, record } from '../../support/store/records.ts'
import { DEFAULT_RULES } from '../../support/store/scoring.ts'

const github = (score: number, given: Partial<Credential> = {}) =>
  credential(`g${score}`, {
    ...{ type: 'github', name: 'GitHub', category: 'Skills', score, maxScore: 40 },
    ...given,
  })
const kite = credential('k', { type: 'Kite Club', name: 'Kites', category: 'Hobbies', score: 3, maxScore: 9 })

const holder = (id: number, displayName: string, total: number, ...credentials: Credential[]) =>
  record(id, { profile: { displayName }, scores: { total, skills: total }, credentials })

/** Ben has the most points for GitHub, and Cleo the highest score. */
const PEOPLE = [
  holder(1, 'Ana', 30, github(30, { value: '3,600 contributions' })),
  holder(2, 'Ben', 40, github(40), kite),
  holder(3, 'Cleo', 90, github(5)),
  holder(4, 'Dan', 0, github(0)),
]

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveExplorer)

test('the list has all credential types, grouped by part of the score, with the exact number of holders', async () => {
  const { status, text } = await server.look('/credentials')
  expect(status).toBe(200)
  const rows = [...text.matchAll(/<tr>\s*<th scope="row">[\s\S]*?<\/tr>/g)].map(([row]) => readable(row))
  expect(rows).toEqual([
    'GitHub Counts the contributions of a GitHub account, such as commits, issues and reviews. 40 points 3 people 75%',
    'kite club Imported records have this credential and its points. This site has no rule for it. – 1 person 25%',
  ])
  const groups = [...text.matchAll(/<tr class="group">[\s\S]*?<\/tr>/g)].map(([row]) => readable(row))
  expect(groups).toEqual(['Skills', 'Without a rule'])
  expect(text).toContain('href="/credentials/kite%20club"')
})

test('the page of a type says how it is earned, in its own unit, and lists people by its points, highest first', async () => {
  const { status, text } = await server.look('/credentials/github')
  expect(status).toBe(200)
  // All bars have the colour of one part.
  expect(text).not.toContain('<ul class="legend">')
  const words = readable(text)
  expect(words).toContain(
    'GitHub Counts the contributions of a GitHub account, such as commits, issues and reviews. Counts toward Skills At most 40 points Comes from GitHub People 3 , 75% of all',
  )
  expect(words).toContain(
    'Contribute to projects on GitHub. Four times as much earns twice the points. Of several accounts, the best one counts. 10 points 361 contributions 20 points 1,521 contributions 30 points 3,481 contributions 40 points 6,241 contributions',
  )
  const rows = rowsOf(text).map(({ name, rank, score }) => `${rank} ${name} ${score}`)
  expect(rows).toEqual(['1 Ben 40', '2 Ana 30', '3 Cleo 5'])
  expect(text).toContain('<span>Rank among these 3</span></div>\n<span>Points</span>')
  expect(rowsOf(text)[2]?.about).toStartWith('<b>score 90</b>')
  // The bars show the points, too: 40, 30 and 5 of 40.
  const bars = [...text.matchAll(/<rect class="skills" x="0%" width="([\d.]+)%"/g)].map(([, width]) => width)
  expect(bars).toEqual(['100', '75', '12.5'])
  expect(text).toContain('href="/?filter=type:github&amp;sort=-points:github">All 3 people, with filters</a>')
})

test('the page of a type without a rule shows the name and the maximum that the credentials of its holders have', async () => {
  const { status, text } = await server.look('/credentials/Kite%20Club')
  expect(status).toBe(200)
  expect(readable(text)).toContain(
    'This site has no rule for it. Category Hobbies At most 9 points Recorded by the operator of this site People 1',
  )
  expect(text).not.toContain('How it is earned')
})

test('a type with a rule has a page even if nobody holds it, and an unknown type has none', async () => {
  const unmet = await server.look('/credentials/worldcoin')
  expect(unmet.status).toBe(200)
  expect(readable(unmet.text)).toContain(
    'Verify in person at an Orb, an eye scanner of World. 8 points for having it.',
  )
  expect(readable(unmet.text)).toContain('Nobody has this credential yet.')
  for (const path of ['/credentials/nothing', '/credentials/%20', `/credentials/${'x'.repeat(201)}`])
    expect([path, (await server.look(path)).status]).toEqual([path, 404])
})

test('the list of credentials finds names and descriptions', async () => {
  const ens = credential('e', { type: 'ens', name: 'ENS', category: 'Identity', score: 1, maxScore: 5 })
  const basename = credential('b', { ...ens, type: 'basename', name: 'Basename' })
  await using server = await servePeople([
    holder(1, 'Ana', 30, ens, basename, github(3)),
    holder(2, 'Ben', 40, ens),
  ])
  const list = async (query: string) => {
    const { text } = await server.look(`/credentials${query}`)
    return [...text.matchAll(/<th scope="row"><a [^>]*><bdi>(.*?)</g)].map(([, name]) => name)
  }
  expect(await list('')).toEqual(['ENS', 'Basename', 'GitHub'])
  expect(await list('?q=WALLET')).toEqual(['ENS', 'Basename'])
  expect(await list('?q=skills')).toEqual(['GitHub'])
  const { text } = await server.look('/credentials?q=x%3Cy')
  expect(readable(text)).toContain('No credential matches “x&lt;y”. Show all credentials')
})

test('people with equal points for a credential share a rank; if the rule gives all the same points, the score ranks them', async () => {
  const world = (score: number) =>
    credential('w', { type: 'worldcoin', name: 'World ID', category: 'Identity', score, maxScore: 8 })
  const people = [5, 90, 40].map((total, at) => holder(at + 1, `P${total}`, total, world(8)))
  await using server = await servePeople(people)
  const { text } = await server.look('/credentials/worldcoin')
  expect(readable(text)).toContain('People who have it The highest score is first.')
  const rows = rowsOf(text).map(({ name, rank, score }) => `${rank} ${name} ${score}`)
  expect(rows).toEqual(['1 P90 90', '2 P40 40', '3 P5 5'])
  expect(readable(text)).toContain('Rank among these 3 activity identity skills Score')
  const kites = [3, 3, 3, 2].map((score, at) => holder(at + 1, 'P', at, { ...kite, score }))
  await using other = await servePeople(kites)
  const mixed = (await other.look('/credentials/Kite%20Club')).text
  expect(readable(mixed)).toContain('People with equal points are ordered by their score.')
  expect(rowsOf(mixed).map(({ rank, score }) => `${rank} ${score}`)).toEqual(['1 3', '1 3', '1 3', '4 2'])
})

test('the page of a type has the first 20 people, and links the list of all', async () => {
  const people = Array.from({ length: 50 }, (_, at) =>
    record(at + 1, { profile: { displayName: `P${at}` }, credentials: [github(40 - (at % 25))] }),
  )
  await using server = await servePeople(people)
  const { text } = await server.look('/credentials/github')
  const rows = rowsOf(text).map(({ rank, score }) => `${rank} ${score}`)
  expect([rows.length, rows[0], rows.at(-1)]).toEqual([20, '1 40', '19 31'])
  expect(text).toContain('<title>GitHub: 50 people · passportd</title>')
  expect(text).toContain(
    'href="/?filter=type:github&amp;sort=-points:github">All 50 people, with filters</a>',
  )
  const list = await server.look('/?filter=type:github&sort=-points:github&page=2')
  expect(rowsOf(list.text).map(({ rank, score }) => `${rank} ${score}`)[0]).toBe('21 30')
})

test('the page of a type names the issuer of its data points', async () => {
  const dataPoints = [{ ...pointOf('github', 'new', 16, '16 contributions'), issuer: 'hub & co' }]
  await using server = await servePeople([record(1, { dataPoints, stale: true })])
  await rescore(server.store)
  const words = readable((await server.look('/credentials/github')).text)
  expect(words).toContain('Issued by hub &amp; co People 1')
  expect(words).toContain('10 points 361 contributions')
})

test('a type that is too long for its page is listed and compared without a link, and no sitemap has it', async () => {
  const long = credential('long', {
    type: 'x'.repeat(201),
    name: '',
    category: 'Skills',
    score: 3,
    maxScore: 9,
  })
  await using server = await servePeople([holder(1, 'Ana', 30, long), holder(2, 'Ben', 40, long)])
  for (const path of ['/credentials', '/compare?ids=1,2', '/sitemap/1.xml']) {
    const { status, text } = await server.look(path)
    expect([path, status, text.includes('/credentials/x')]).toEqual([path, 200, false])
    expect(text).not.toContain('x'.repeat(61))
  }
  expect((await server.look('/credentials')).text).toContain(`<th scope="row"><bdi>xxx`)
})

test('the shares of holders are rounded to whole percentages, but only a share of everybody is shown as 100%', () => {
  expect([0.4, 1, 53.6, 99.7, 100].map(formatShare)).toEqual(['below 1%', '1%', '54%', '99%', '100%'])
})

const RULE = { name: '', category: '', max_score: 20, accounts: 'sum', proves_human: false } as const

test('rules are described in words', () => {
  const describe = (more: object) => describeRule({ ...RULE, convert: 'none', multiplier: 1, ...more })
  expect(describe({})).toBe('Twice as much earns twice the points. Several accounts are added up.')
  expect(describe({ multiplier: 20 })).toBe('20 points for having it.')
  expect(describe({ convert: 'ln', multiplier: 2 })).toStartWith(
    'Ten times as much earns about 4.6 more points.',
  )
  expect(describe({ convert: 'years', multiplier: 4, accounts: 'best' })).toBe(
    '4 points for each year since the account was made, until it is 5 years old. Nothing but time adds points. Of several accounts, the best one counts.',
  )
  expect(describe({ multiplier: 20, unique: 'first', expires: '90d' })).toBe(
    '20 points for having it. An account counts only for the person who had it first. It counts for 90 days, then it must be renewed.',
  )
})

test('each type of the built-in rules is described, and another type is described by its rule', () => {
  for (const type of Object.keys(DEFAULT_RULES.types))
    expect([type, findKnown(type)?.about.endsWith('.'), findKnown(type)?.source]).toEqual([
      type,
      true,
      expect.any(String),
    ])
  const rule = { ...RULE, convert: 'none', multiplier: 1 } as const
  expect(describeType('kite', rule)).toBe(
    'The rules of this site give up to 20 points for this credential. They do not describe it further.',
  )
  expect(describeType('kite', { ...rule, multiplier: 20 })).toStartWith(
    'The rules of this site give 20 points for',
  )
  expect(describeType('kite', { ...rule, proves_human: true })).toEndWith(
    'People who have it are marked as human.',
  )
  expect(describeType('github', { ...rule, description: 'Commits to kites.' })).toBe('Commits to kites.')
  expect(describeType('constructor', undefined)).toStartWith('Imported records have this credential')
})

test('the unit of a credential is the text of a value, if its number explains the points', () => {
  const rule = { ...RULE, convert: 'none', multiplier: 2 } as const
  const unit = (value: string, score: number) => unitOf(rule, credential('a', { value, score }))
  expect(unit('3 rounds', 6)).toBe('3 rounds')
  expect(unit('12 rounds', 20)).toBe('12 rounds')
  expect(unit('Level 4', 8)).toBe('Level 4')
  // The number of a rank is not the value that counts.
  for (const [value, score] of [
    ['Rank: 12567', 20],
    ['Rank: 7', 6],
    ['Verified', 2],
    ['', 0],
  ] as const)
    expect([value, unit(value, score)]).toEqual([value, undefined])
  expect(unitOf(rule, undefined)).toBeUndefined()
  expect(unitOf(rule, undefined, 'round')).toBe('0 rounds')
  expect(unitOf(rule, undefined, 'BUILD')).toBe('0 BUILD')
})
