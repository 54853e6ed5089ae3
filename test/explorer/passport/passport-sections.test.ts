import { expect, test } from 'bun:test'
import type { Credential } from '../../../src/domain/credential.ts'
import type { Passport, Scores, Social } from '../../../src/domain/passport.ts'
import { describeTop } from '../../../src/explorer/design/text.ts'
import { renderGrowth } from '../../../src/explorer/passport/passport-credentials.ts'
import { renderSocials } from '../../../src/explorer/passport/passport-profile.ts'
import { renderExplanation } from '../../../src/explorer/passport/passport-score.ts'
import {
  describeHighest,
  describeStrongest,
  type PartStandings,
} from '../../../src/explorer/site/standings.ts'
import { DEFAULT_RULES } from '../../../src/scoring/stamped-rule-set.ts'
import { readable, servePeople } from '../../support/explorer/explorer-server.ts'
import { mira, OTHERS } from '../../support/explorer/sample-passport.ts'
import { credential, named, record } from '../../support/store/records.ts'

test('percentiles are rounded up, so that none is overstated, and no percentile below the median is shown', () => {
  expect(describeTop(1, 1000)).toBe('No. 1')
  expect(describeTop(31, 1000)).toBe('Top 4%')
  expect(describeTop(40, 1000)).toBe('Top 4%')
  expect(describeTop(500, 1000)).toBe('Top 50%')
  expect(describeTop(501, 1000)).toBe('')
  expect(describeTop(1, 1)).toBe('')
})

const SCORES: Scores = { total: 60, activity: 10, identity: 20, skills: 30 }
const standingOf = (below: number) => ({
  ...{ rank: 1000 - below, below, total: 1000 },
  ...{ highest: 100, median: 50, scale: 100, step: 5, distribution: [] },
})

test('a description names the best percentile, overall or in one part of the score, but never a low one', () => {
  const describe = (below: number, parts: PartStandings, scores = SCORES) =>
    describeHighest(scores, standingOf(below), parts) || describeStrongest(scores)
  expect(describe(900, { skills: 40, identity: 300 })).toBe('Top 4% in Skills')
  expect(describe(980, { skills: 40 })).toBe('Top 2% overall')
  expect(describe(100, { skills: 330 })).toBe('Top 33% in Skills')
  for (const parts of [{ skills: 900 }, { skills: 331 }, {}])
    expect(describe(100, parts)).toBe('Strongest in Skills')
  expect(describe(0, {}, { total: 0, activity: 0, identity: 0, skills: 0 })).toBe('')
})

test('the header has the level with the points to the next level, and the rank with a link to its row of the ranking', async () => {
  const people = [100, 70, 50, 20].map((score, at) => ({
    ...named(at + 1, `Person ${at + 1}`, score),
    scores: { total: score, activity: 0, identity: 0, skills: score },
  }))
  await using server = await servePeople(people)
  const read = async (id: number) => readable((await server.look(`/passports/${id}`)).text)
  expect(await read(1)).toContain(
    'Passport score 100 Established 20 points to Advanced No. 1 overall 1st of 4 people Share',
  )
  expect(await read(2)).toContain('Passport score 70 Established 50 points to Advanced 2nd of 4 people Share')
  expect(await read(3)).toContain('Passport score 50 Regular 10 points to Established 3rd of 4 people Share')
  for (const id of [3, 4]) expect(await read(id)).not.toMatch(/Top|lower|Not verified/)
})

test('the link of a rank leads to the page and row of the ranking, also among equal scores', async () => {
  const people = Array.from({ length: 45 }, (_, at) =>
    named(at + 1, `Person ${at + 1}`, at < 3 ? 90 - at : 7),
  )
  await using server = await servePeople(people)
  for (const [id, rank, page] of [
    [1, '1st', '/'],
    [20, '4th', '/'],
    [21, '4th', '/?page=2'],
    [45, '4th', '/?page=3'],
  ] as const) {
    const { text } = await server.look(`/passports/${id}`)
    expect(text).toContain(`<a href="${page}#p${id}">${rank} of 45 people</a>`)
    expect((await server.look(page)).text).toContain(`<li id="p${id}">`)
  }
  await using alone = await servePeople([named(1, 'Only')])
  expect(readable((await alone.look('/passports/1')).text)).not.toMatch(/1st of/)
})

test('the page does not call the total of an imported record the sum of its parts', async () => {
  const scores = { total: 150, activity: 10, identity: 20, skills: 30 }
  await using server = await servePeople([
    record(1, { scores }),
    record(2, { scores: { ...scores, total: 5 } }),
  ])
  const words = readable((await server.look('/passports/1')).text)
  expect(words).toContain(
    '150, given by the imported record. Its parts are 10 Activity + 20 Identity + 30 Skills.',
  )
  expect(words).toContain('Skills 30 Given by the record 90')
  expect(words).not.toMatch(/= 150|come to|Calculated on/)
  expect(readable((await server.look('/passports/2')).text)).toContain('5, given by the imported record.')
  expect(readable((await server.look('/passports/1/score')).text)).toContain(
    'The score came with the imported record, which has no credentials.',
  )
})

test('if the total is below the sum of the parts, the explanation names the caps of the categories', () => {
  const passport = { ...record(1), scores: { ...SCORES, total: 55 } } as Passport
  expect(readable(renderExplanation(passport, { Skills: 25 }).markup)).toContain(
    '10 Activity + 20 Identity + 30 Skills = 60, limited to 55 by the caps of the categories',
  )
})

test('an outlier does not flatten the histogram, and the bars begin at round numbers', async () => {
  const usual = Array.from({ length: 199 }, (_, at) => named(at + 2, `Person ${at + 2}`, at + 1))
  await using server = await servePeople([named(1, 'Outlier', 990_000_000), ...usual])
  const { text } = await server.look('/passports/101')
  const words = readable(text)
  expect(words).toContain('200 and more')
  expect(words).toContain(
    'Highlighted: 5 people with a score from 100 to 105. The dashed line is the median, 100.',
  )
  expect(text.match(/<rect[^>]*height="100"/g)).toHaveLength(39)
  expect(readable((await server.look('/passports/1')).text)).toContain('1 person with a score above 200')
  expect((await server.look('/')).text).toContain('class="bar beyond"')
})

test('among few people, two outliers do not flatten the histogram', async () => {
  const usual = Array.from({ length: 37 }, (_, at) => named(at + 3, `Person ${at + 3}`, at + 1))
  const people = [named(1, 'One', 9000), named(2, 'Two', 8000), ...usual]
  await using server = await servePeople(people)
  expect(readable((await server.look('/passports/9')).text)).toContain('0 37 and more')
})

test('a category shows five credentials and collapses the rest', async () => {
  const some = (category: string, number: number) =>
    Array.from({ length: number }, (_, at) => credential(`${category}${at}`, { category, score: 9 - at }))
  const since = credential('since', { category: 'Identity', value: '2025-01-01' })
  const credentials = [...some('Skills', 7), ...some('Activity', 6), since]
  await using server = await servePeople([record(1, { credentials })])
  const { text } = await server.look('/passports/1')
  expect(text.match(/class="fold"/g)).toHaveLength(1)
  expect(readable(text)).toContain('2 more')
  expect(readable(text)).toContain('since 2025-01-01')
  expect((await server.look('/passports/1/credentials')).text).not.toContain('class="fold"')
})

test('each credential that shows a human says so, and the pill "human" links to the first, or else to the page about the site', async () => {
  const proof = { type: 'worldcoin', name: 'World ID', value: 'Verified', maxScore: 8 }
  await using server = await servePeople([
    record(1, {
      human: true,
      credentials: [
        credential('a', { score: 9 }),
        credential('b', { ...proof, score: 8 }),
        credential('e', { ...proof, name: 'Other ID', score: 7 }),
        credential('f', { ...proof, name: 'No points', score: 0 }),
      ],
    }),
    record(2, { human: true, credentials: [credential('c', { ...proof, score: 0 })] }),
    record(3, { credentials: [credential('d')] }),
  ])
  const { text } = await server.look('/passports/1')
  expect(text).toContain('<a class="pill" href="#human" title="Why this person counts as human">human</a>')
  expect(text.match(/<tr id="human"[\s\S]*?<\/tr>/g)?.map(readable)).toEqual([
    'World ID Verified, shows that this is a human 8 of 8',
  ])
  const marked = text.match(/<tr.*shows that this is a human.*/g)?.map(readable)
  expect(marked?.map((row) => row.slice(0, 8))).toEqual(['World ID', 'Other ID'])
  expect((await server.look('/passports/2')).text).toContain('href="/about#human"')
  expect((await server.look('/passports/3')).text).not.toMatch(/class="pill"|id="human"/)
})

test('screen readers skip the charts, because text beside each chart says the same', async () => {
  await using server = await servePeople([mira, ...OTHERS])
  const { text } = await server.look('/passports/12')
  expect(text).toContain(
    '<svg class="histogram" viewBox="0 0 400 100" preserveAspectRatio="none" aria-hidden="true">',
  )
  expect(text).toContain('<div aria-hidden="true"><svg class="bar"')
  expect(text).not.toMatch(/<figure[^>]*aria-label|aria-labelledby/)
})

test('accounts are shown with the name of their network and with formatted follower counts', () => {
  const [social] = mira.socials as [Social]
  const accounts = [
    { ...social, source: 'github', followers: '1234567' },
    { ...social, source: 'Kites', followers: '1', following: '' },
  ]
  const words = readable(renderSocials({ socials: accounts, profile: mira.profile }).markup)
  expect(words).toContain('GitHub mira on GitHub example.com Mira K. 1,234,567 followers 12 following Notes')
  expect(words).toContain('Kites mira on Kites example.com Mira K. 1 follower Notes')
  const { displayName, location, bio } = social
  const same = renderSocials({ socials: accounts, profile: { ...mira.profile, displayName, location, bio } })
  expect(readable(same.markup)).toEndWith('Kites mira on Kites example.com 1 follower')
})

test('the list of possible gains begins with the largest, and omits credentials of categories at their cap', () => {
  const all = [
    credential('a', { name: 'GitHub', category: 'Skills', score: 21, maxScore: 40 }),
    credential('b', { name: 'Lens', category: 'Identity', score: 0, maxScore: 30 }),
    credential('c', { name: 'Full', category: 'Skills', score: 8, maxScore: 8 }),
    credential('d', { name: 'Kites', category: 'Crafts', score: 0, maxScore: 90 }),
    ...Array.from({ length: 9 }, (_, at) =>
      credential(`x${at}`, { name: `Small ${at}`, category: 'Activity', score: 0, maxScore: 1 }),
    ),
  ]
  const render = (credentials: readonly Credential[], caps = {}) =>
    renderGrowth({ credentials, scores: SCORES, types: {}, caps, next: '' }).markup
  const words = readable(render(all))
  expect(words).toStartWith(
    'What would raise the score Lens 0 of 30 up to 30 more points GitHub 21 of 40 up to 19 more points Small 0',
  )
  expect(words.match(/ more/g)).toHaveLength(5)
  expect(render(all)).toContain('<a href="/credentials/')
  expect(words).not.toMatch(/Full|Kites/)
  expect(readable(render(all, { Identity: 20 }))).not.toContain('Lens')
  expect(render([])).toBe('')
})

test('a gain names the next step in the unit of the credential, or says that only time helps', () => {
  const rule = { name: 'X', category: 'Skills', accounts: 'best', proves_human: false } as const
  const types = {
    tx: { ...rule, convert: 'sqrt', multiplier: 0.4, max_score: 20 },
    contracts: { ...rule, convert: 'sqrt', multiplier: 4, max_score: 20 },
    builds: { ...rule, convert: 'none', multiplier: 4, max_score: 20 },
    tokens: { ...rule, convert: 'ln', multiplier: 2, max_score: 20 },
    age: { ...rule, convert: 'years', multiplier: 4, max_score: 40 },
    nothing: { ...rule, convert: 'none', multiplier: 0, max_score: 20 },
  } as const
  const step = (type: string, value: string, score: number, maxScore = 20, caps = {}) => {
    const one = credential('a', { type, category: 'Skills', value, score, maxScore })
    const own = Object.fromEntries(Object.entries(types).filter(([name]) => name === type))
    const given = { credentials: [one], scores: SCORES, types: own, caps, next: '' }
    const words = readable(renderGrowth(given).markup)
    return words.replace(/.*ENS \d+ of \d+ ?/, '')
  }
  expect(step('tx', '68 transactions', 3)).toBe('122 more transactions: +3')
  expect(step('tx', '2,450 transactions', 20)).toBe('')
  // The category may gain one more point.
  expect(step('tx', '68 transactions', 3, 20, { Skills: SCORES.skills + 1 })).toBe('9 more transactions: +1')
  expect(step('contracts', '1 contract', 4)).toBe('2 more contracts: +3')
  expect(step('builds', '4 builds', 16)).toBe('1 more build: +4')
  expect(step('tokens', '2 TALENT', 1)).toBe('8 more TALENT: +4')
  expect(step('builds', '2 Poolys', 8)).toBe('1 more Pooly: +4')
  expect(step('builds', 'Level 2', 8)).toBe('Level 3 instead of 2: +4')
  expect(step('builds', 'Humanity Score: 2', 8)).toBe('Humanity Score 3 instead of 2: +4')
  expect(step('builds', '0', 0)).toBe('1 instead of 0: +4')
  expect(step('builds', 'v2', 8)).toBe('3 instead of 2: +4')
  expect(step('age', '2025-01-02', 7, 40)).toBe('only time: +4 a year')
  // No step is named if the rule does not explain the points, or if there is no number.
  expect(step('tx', '68 transactions', 5)).toBe('up to 15 more points')
  expect(step('tx', 'Verified', 0)).toBe('up to 20 more points')
  expect(step('nothing', '5', 0)).toBe('up to 20 more points')
  expect(step('constructor', '5 things', 5)).toBe('up to 15 more points')
})

test('the page names the credentials that the person lacks and that add the most points at once', () => {
  const { types } = DEFAULT_RULES
  const render = (
    credentials: readonly Credential[],
    given: Partial<Parameters<typeof renderGrowth>[0]> = {},
  ) => readable(renderGrowth({ credentials, scores: SCORES, types, caps: {}, next: '', ...given }).markup)
  const full = credential('a', { type: 'github', category: 'Skills', score: 40, maxScore: 40 })
  expect(render([full])).toBe(
    'What would raise the score Credentials to add Base Buildathon 0 of 20 Take part in a buildathon of Base: +10 for the first buildathon World ID 0 of 8 Verify in person at an Orb: +8 LinkedIn 0 of 8 Connect a LinkedIn account: +8',
  )
  const only = (...names: (keyof typeof types)[]) =>
    Object.fromEntries(Object.entries(types).filter(([type]) => names.includes(type)))
  const few = { types: only('ens', 'active_wallet', 'phaver', 'take_off', 'github') }
  expect(render([full], few)).toEndWith(
    'ENS 0 of 5 Register a .eth name: +1 a year Phaver 0 of 8 Use the app Phaver: +1 or more Ethereum User 0 of 20 Send transactions on Ethereum: +1 for 2 transactions',
  )
  // A category at its cap gains nothing.
  expect(render([full], { ...few, caps: { Identity: SCORES.identity } })).not.toMatch(/ENS|Phaver/)
  // A first credential would replace the total of the record.
  expect(render([], few)).toBe('')
  expect(render([], { ...few, scores: { total: 0, activity: 0, identity: 0, skills: 0 } })).toContain('ENS')
})

test('the steps that raise a score begin with the largest gain, below the points to the next level', () => {
  const rule = { name: 'X', category: 'Skills', accounts: 'best', proves_human: false } as const
  const types = {
    builds: { ...rule, convert: 'none', multiplier: 4, max_score: 40 },
    age: { ...rule, convert: 'years', multiplier: 2, max_score: 90 },
  } as const
  const credentials = [
    credential('a', { type: 'age', name: 'Age', category: 'Skills', value: '2025-01-02', maxScore: 90 }),
    credential('b', { type: 'x', name: 'Other', category: 'Skills', score: 0, maxScore: 6 }),
    credential('c', {
      type: 'builds',
      name: 'Builds',
      category: 'Skills',
      value: '2 builds',
      score: 8,
      maxScore: 40,
    }),
  ]
  const render = (next: string) =>
    readable(renderGrowth({ credentials, scores: SCORES, types, caps: {}, next }).markup)
  expect(render('57 points to Advanced')).toMatch(
    /^What would raise the score 57 points to Advanced Builds .*: \+8 Other .*up to 6 more points Age .*: \+2 a year$/,
  )
  expect(render('')).toStartWith('What would raise the score Builds')
})

test('the page repeats the points to the next level beside the steps, and asks “Is this you?” before the part for developers', async () => {
  const { scores } = named(1, 'Ada', 100)
  await using server = await servePeople([
    record(1, { scores, credentials: [credential('a', { maxScore: 90 })] }),
  ])
  const words = readable((await server.look('/passports/1')).text)
  expect(words).toContain('What would raise the score 20 points to Advanced')
  expect(words).toContain(
    'Is this you? Claim this passport to have it corrected, completed, hidden or removed. For developers',
  )
})
