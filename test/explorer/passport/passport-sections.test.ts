import { expect, test } from 'bun:test'
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
import { readable, serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { addDataPoint, mira, OTHERS, rescore } from '../../support/explorer/sample-passport.ts'
import { onEngine } from '../../support/store/engines.ts'
import { credential, NOON, named, record } from '../../support/store/records.ts'

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

test('a low rank is not shown; a level is shown with the points to the next level', async () => {
  const people = [100, 70, 50, 20].map((score, at) => ({
    ...named(at + 1, `Person ${at + 1}`, score),
    scores: { total: score, activity: 0, identity: 0, skills: score },
  }))
  await using server = await servePeople(people)
  const read = async (id: number) => readable((await server.look(`/passports/${id}`)).text)
  expect(await read(1)).toContain(
    'Passport score 100 Established 20 points to Advanced No. 1 overall Score by part',
  )
  expect(await read(2)).toContain('Passport score 70 Established 50 points to Advanced Score by part')
  expect(await read(3)).toContain('Passport score 50 Regular 10 points to Established Score by part')
  expect(await read(1)).toContain('Among 4 people 1st of 4 people')
  expect(await read(2)).not.toContain('2nd of')
  for (const id of [3, 4]) expect(await read(id)).not.toMatch(/[34](rd|th) of|Top|lower|Not verified/)
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
    'The imported record gives the score, without credentials.',
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

test('links for sharing on other sites contain the URL of the page and the best rank of the person', async () => {
  await using server = await servePeople([mira, ...OTHERS], { publicUrl: 'https://passports.example.com' })
  const { text } = await server.look('/passports/12')
  const page = encodeURIComponent('https://passports.example.com/passports/12')
  const words = encodeURIComponent('Mira Kettlewood: No. 1 in Activity on passportd')
  for (const address of [
    `https://x.com/intent/post?text=${words}&amp;url=${page}`,
    `https://farcaster.xyz/~/compose?text=${words}&amp;embeds[]=${page}`,
    `https://www.linkedin.com/sharing/share-offsite/?url=${page}`,
    `https://bsky.app/intent/compose?text=${words}%20${page}`,
  ])
    expect(text).toContain(`<a href="${address}" rel="nofollow noopener noreferrer">`)
  expect(text).toContain('<a class="button quiet" href="#share">Share</a>')
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
    { ...social, source: 'Kites', followers: '', following: '' },
  ]
  const words = readable(renderSocials({ socials: accounts, profile: mira.profile }).markup)
  expect(words).toContain('GitHub mira on GitHub example.com Mira K. 1,234,567 followers 12 following Notes')
  expect(words).toContain('Kites mira on Kites example.com Mira K. Notes')
  const { displayName, location, bio } = social
  const same = renderSocials({ socials: accounts, profile: { ...mira.profile, displayName, location, bio } })
  expect(readable(same.markup)).toEndWith('Kites mira on Kites example.com')
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
  const words = readable(renderGrowth(all, SCORES, {}).markup)
  expect(words).toStartWith(
    'What would raise the score Lens 0 of 30 up to 30 more GitHub 21 of 40 up to 19 more Small 0',
  )
  expect(words.match(/ more/g)).toHaveLength(5)
  expect(renderGrowth(all, SCORES, {}).markup).toContain('<a href="/credentials/')
  expect(words).not.toMatch(/Full|Kites/)
  expect(readable(renderGrowth(all, SCORES, { Identity: 20 }).markup)).not.toContain('Lens')
  expect(renderGrowth([], SCORES, {}).markup).toBe('')
})

onEngine('sqlite', 'the score history', (open) => {
  test('the score history shows each change with its causes, as a chart and as a table', async () => {
    await using server = await servePeople([mira])
    expect((await server.look('/passports/12')).text).not.toContain('id="history"')
    await addDataPoint(server.store, 900)
    await rescore(server.store)
    const { text } = await server.look('/passports/12')
    expect(text.match(/<circle cx=/g)).toHaveLength(2)
    expect(text).toContain('dy="-6">1,057.5</text><text class="end" y="100%" dy="-6">0</text>')
    expect(text).toContain('<span>today</span>')
    expect(text).toContain(`: 1,057.5. GitHub +15 (new)</title>`)
    expect(text).toContain('<svg class="history" aria-hidden="true">')
    const words = readable(text)
    expect(words).toContain('Date Score Change Causes 2026-01-02 1,057.5 +15 GitHub +15 (new)')
    expect(words).toContain('1,042.5 &ndash; first known score')
  })

  test('the score history shows only the latest 60 changes', async () => {
    await using store = await open([record(1)])
    for (let total = 1; total <= 70; total++) {
      const passport = record(1, { scores: { total, activity: total, identity: 0, skills: 0 } })
      await store.records.save([{ kind: 'passport', passport }], { now: NOON + total, restore: false })
    }
    await using server = serveExplorer(store)
    const { text } = await server.look('/passports/1')
    expect(text.match(/<circle cx=/g)).toHaveLength(61)
    expect(readable(text)).toContain('+1 imported record +1')
    expect(readable(text)).toContain('10 &ndash; earlier score')
  })
})
