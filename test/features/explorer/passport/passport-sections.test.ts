import { expect, test } from 'bun:test'
import type { Social } from '../../../../src/core/passport/passport.ts'
import { renderSocials } from '../../../../src/features/explorer/passport/passport-profile.ts'
import { describeTotal } from '../../../../src/features/explorer/passport/passport-score.ts'
import { describeHighest } from '../../../../src/ui/standings.ts'
import { describeAhead, describeTop } from '../../../../src/ui/text.ts'
import { readable, servePeople } from '../../../support/explorer/explorer-server.ts'
import { HOSTILE_NAMES } from '../../../support/explorer/hostile-names.ts'
import { mira, OTHERS } from '../../../support/explorer/sample-passport.ts'
import { credential, named, record } from '../../../support/store/records.ts'

test('percentages are rounded so that no score is overstated', () => {
  expect(describeTop(1, 1000)).toBe('No. 1')
  expect(describeTop(31, 1000)).toBe('Top 4%')
  expect(describeTop(40, 1000)).toBe('Top 4%')
  expect(describeTop(500, 1000)).toBe('Top 50%')
  const ahead = (below: number) => describeAhead({ below, total: 1000 })
  expect([461, 998, 999].map(ahead)).toEqual(['ahead of 46%', 'ahead of 99%', 'highest of all'])
  for (const below of [9, 0]) expect(ahead(below)).toBe('')
  expect(describeAhead({ below: 0, total: 1 })).toBe('')
})

const rank = (below: number) => ({ rank: 1000 - below, below, total: 1000 })

test('a description names the best percentile, overall or in one part of the score, but never a low one', () => {
  const describe = (total: number, skills: number, identity = 0) =>
    describeHighest({
      ...{ total: rank(total), activity: rank(0), identity: rank(identity), skills: rank(skills) },
    })
  expect(describe(900, 960, 700)).toBe('Top 4% in Skills')
  expect(describe(980, 960)).toBe('Top 2% overall')
  expect(describe(100, 670)).toBe('Top 33% in Skills')
  for (const skills of [669, 100, 0]) expect(describe(100, skills)).toBe('')
})

test('the header has the level with the points to the next level, and the rank with a link to its row of the ranking', async () => {
  const people = [100, 70, 50, 20].map((score, at) => ({
    ...named(at + 1, `Person ${at + 1}`, score),
    scores: { total: score, activity: 0, identity: 0, skills: score },
  }))
  await using server = await servePeople(people)
  const read = async (id: number) => readable((await server.look(`/passports/${id}`)).text)
  expect(await read(1)).toContain(
    'Passport score 100 Established 20 points to Advanced 1st of 4 people Share',
  )
  expect(await read(2)).toContain('Passport score 70 Established 50 points to Advanced 2nd of 4 people Share')
  expect(await read(3)).toContain('Passport score 50 Regular 10 points to Established 3rd of 4 people Share')
  for (const id of [3, 4]) expect(await read(id)).not.toMatch(/Top|lower|Not verified/)
  // 100 is two thirds of the way from Established, 60, to Advanced, 120.
  expect((await server.look('/passports/1')).text).toMatch(/20 points to Advanced<.*?<rect width="67%"/s)
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
  expect(words).toContain('The total of 150 came with the imported record.')
  expect(words).toContain('Skills 30 Only in the total 90')
  expect(words).not.toMatch(/= 150|come to|Unchanged since/)
  expect(readable((await server.look('/passports/2')).text)).toContain(
    'The total of 5 came with the imported record.',
  )
  expect(readable((await server.look('/passports/1/score')).text)).toContain(
    'The score came with the imported record, which has no credentials.',
  )
})

test('if the total is below the sum of the parts, the explanation names the maximum of each part', () => {
  expect(describeTotal({ total: 55, activity: 10, identity: 20, skills: 30 }, { Skills: 25 }).markup).toBe(
    '<p>The sum is 60, limited to 55 by the maximum of each part.</p>',
  )
})

test('an outlier does not shorten the bars of other people, and its bar ends in an arrow', async () => {
  const usual = Array.from({ length: 199 }, (_, at) => named(at + 2, `Person ${at + 2}`, at + 1))
  await using server = await servePeople([named(1, 'Outlier', 990_000_000), ...usual])
  const { text } = await server.look('/')
  expect(text.match(/class="bar beyond"/g)).toHaveLength(1)
  expect(text).toMatch(/<title>[^<]*<\/title><rect[^>]* width="99.5%"/)
})

test('a category shows three credentials and collapses the rest', async () => {
  const some = (category: string, number: number) =>
    Array.from({ length: number }, (_, at) => credential(`${category}${at}`, { category, score: 9 - at }))
  const since = credential('since', { category: 'Identity', value: '2025-01-01' })
  const zero = credential('zero', { type: 'kite', name: 'Kites', category: 'Skills', score: 0 })
  const credentials = [...some('Skills', 5), ...some('Activity', 4), since, zero]
  await using server = await servePeople([record(1, { credentials })])
  const { text } = await server.look('/passports/1')
  expect(text.match(/class="fold"/g)).toHaveLength(1)
  expect(readable(text)).toContain('2 more')
  expect(readable(text)).toContain('since 1 January 2025')
  const all = (await server.look('/passports/1/credentials')).text
  expect(all).not.toContain('class="fold"')
  expect(readable(all)).toContain('since 1 January 2025')
  // The page of a type without points and without a rule may not exist.
  for (const page of [text, all]) expect(page).toContain('<th scope="row"><bdi>Kites</bdi>')
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
  expect((await server.look('/passports/3')).text).not.toMatch(/>human<|id="human"/)
})

test('screen readers skip the charts, because text beside each chart says the same', async () => {
  await using server = await servePeople([mira, ...OTHERS])
  const { text } = await server.look('/passports/12')
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

test('the page links the three people with the first tag of the person and the nearest scores, and a comparison with them', async () => {
  const scored = (id: number, total: number, tags: string[]) =>
    record(id, { profile: { displayName: `P${total}`, tags }, scores: named(id, '', total).scores })
  const tagged = [100, 10, 98, 130, 95, 300].map((total, at) => scored(at + 1, total, ['zk & co', 'a']))
  const others = [scored(7, 99, ['a', 'zk & co']), scored(8, 101, []), scored(9, 96, ['only'])]
  await using server = await servePeople([...tagged, ...others])
  const read = async (id: number) => {
    const { text } = await server.look(`/passports/${id}`)
    return /<section id="alike">.*?<\/section>/s.exec(text)?.[0] ?? ''
  }
  const section = await read(1)
  expect(readable(section)).toBe(
    'Similar people With the tag zk &amp; co and the nearest scores P99 99 P98 98 P95 95 Compare with them',
  )
  expect(section).toContain('href="/compare?ids=1,7,3,5"')
  expect(readable(await read(6))).toContain('nearest scores P130 130 P100 100 P99 99 Compare')
  expect(readable(await read(2))).toContain('nearest scores P99 99 P98 98 P95 95 Compare')
  expect([await read(8), await read(9)]).toEqual(['', ''])
})

test('the page has the points to the next level, and links its header to the page of the person', async () => {
  const { scores } = named(1, 'Ada', 100)
  await using server = await servePeople([
    record(1, { scores, credentials: [credential('a', { maxScore: 90 })] }),
  ])
  const words = readable((await server.look('/passports/1')).text)
  expect(words).toContain('Established 20 points to Advanced')
  expect(words).toContain('Compare Is this you?')
})

test('links for sharing on other sites contain the URL of the page, the score, the level and the best standing', async () => {
  await using server = await servePeople([mira, ...OTHERS], { publicUrl: 'https://passports.example.com' })
  const { text } = await server.look('/passports/12')
  const page = encodeURIComponent('https://passports.example.com/passports/12')
  const words = encodeURIComponent(
    'Mira Kettlewood: passport score 1,042.5, Outstanding, No. 1 in Activity on passportd',
  )
  for (const address of [
    `https://x.com/intent/post?text=${words}&amp;url=${page}`,
    `https://farcaster.xyz/~/compose?text=${words}&amp;embeds[]=${page}`,
    `https://www.linkedin.com/sharing/share-offsite/?url=${page}`,
    `https://bsky.app/intent/compose?text=${words}%20${page}`,
  ])
    expect(text).toContain(`<a class="button quiet" href="${address}" rel="nofollow noopener noreferrer">`)
  expect(text).toContain(
    '<meta name="description" content="Mira Kettlewood: passport score 1,042.5, Outstanding. Builds kites. Lisbon · builder · zk · No. 1 in Activity · ',
  )
  expect(text).toContain('<button class="quiet" type="button" popovertarget="share">Share</button>')
})

test('the share panel shows the picture of link previews, and only then loads it', async () => {
  await using server = await servePeople([mira])
  const { text } = await server.look('/passports/12')
  const [, preview] = /<meta property="og:image" content="[^"]*?(\/card\/[^"]+)">/.exec(text) ?? []
  expect(preview).toBe('/card/12.png?score=1042.5')
  const panel = /<section id="share" popover>[\s\S]*?<\/section>/.exec(text)?.[0]
  expect(panel).toContain(
    `<img class="card" src="${preview}" width="1200" height="630" loading="lazy" alt="Card: Mira Kettlewood: passport score 1,042.5, Outstanding">`,
  )
})

/** Returns the attributes of the first image, and the number of elements in the markup. */
function readMarkup(markup: string) {
  const found = { image: {} as Record<string, string>, elements: 0 }
  const decode = (text: string) =>
    text.replace(/&(lt|gt|quot|amp|#x27);/g, (_, name) => ENTITIES[name as keyof typeof ENTITIES])
  new HTMLRewriter()
    .on('*', {
      element(element) {
        found.elements++
        if (element.tagName === 'img')
          for (const [name, value] of element.attributes) found.image[name] = decode(value)
      },
    })
    .transform(markup)
  return found
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', amp: '&', '#x27': "'" }

test('the snippets of a badge describe it by name, whatever the name contains', async () => {
  const names = [
    'Ada Harborlight',
    'a](https://evil.example) ![b',
    '"><script>alert(1)</script>',
    '\\] `x` *y* __z__ ~~q~~ &quot; &amp; <i> | $1$',
    ...HOSTILE_NAMES,
  ]
  const people = names.map((name, at) => named(at + 1, name, 152))
  await using server = await servePeople(people, { publicUrl: 'https://passports.example.com' })
  for (const { id } of people) {
    const { text } = await server.look(`/passports/${id}`)
    expect([id, /[\p{Bidi_Control}\u2028\u2029\0]/u.test(text), text.isWellFormed()]).toEqual([
      id,
      false,
      true,
    ])
    const [, title = ''] = /<meta property="og:title" content="([^"]*)">/.exec(text) ?? []
    const described = readMarkup(`<img alt="${title}">`).image.alt ?? ''
    const alt = `Passport badge of ${described.slice(0, described.lastIndexOf(': passport score'))}`
    const [markdown = '', markup = ''] = [
      ...text.matchAll(/data-copy="(?:Markdown|HTML)"><code>(.*?)<\/code>/g),
    ]
      .map(([, code = '']) => code.replace(/<span class="pick (?!score)[^>]*>.*?<\/span>|<[^>]*>/g, ''))
      .map((code) => readMarkup(`<img alt="${code}">`).image.alt ?? '')
    const src = `https://passports.example.com/badge/${id}.svg?show=score`
    expect([id, readMarkup(markup)]).toEqual([id, { image: { src, alt }, elements: 2 }])
    expect([id, readMarkup(Bun.markdown.html(markdown))]).toEqual([id, { image: { src, alt }, elements: 3 }])
    if (id === 1) expect(alt).toBe('Passport badge of Ada Harborlight')
  }
})
