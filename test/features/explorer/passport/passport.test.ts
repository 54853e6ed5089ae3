import { expect, test } from 'bun:test'
import type { Passport } from '../../../../src/core/passport/passport.ts'
import type { ExplainedPassport } from '../../../../src/core/passport/rules/explanation.ts'
import { readable, serveExplorer, servePeople } from '../../../support/explorer/explorer-server.ts'
import { addDataPoint, mira, OTHERS, pointOf, rescore } from '../../../support/explorer/sample-passport.ts'
import { shareServer } from '../../../support/http/server.ts'
import { ServiceError } from '../../../support/program/errors.ts'
import { openTestStore } from '../../../support/store/engines.ts'
import { ADA_WALLET, credential, dataPoint, NOON, named, record } from '../../../support/store/records.ts'
import { rule } from '../../../support/store/rule-files.ts'
import {
  adoptRules,
  applyRules,
  createPassportExplainer,
  parseRules,
  scoreNow,
  scorerOf,
} from '../../../support/store/scoring.ts'

const server = shareServer(() => openTestStore('sqlite', [mira, ...OTHERS]), serveExplorer)

test('the passport page shows the profile, the score with its parts, the rank, and every credential', async () => {
  const { status, headers, text } = await server.look('/passports/12')
  expect(status).toBe(200)
  expect(headers.get('Content-Security-Policy')).toStartWith("default-src 'none'; script-src 'self'")
  expect(text).not.toMatch(
    /<script>|<style|style="|onclick|<img(?! class="card" src="\/card\/12.png\?score=1042.5"| class="pick [a-z ]+" src="\/badge\/12.svg\?)/,
  )
  const words = readable(text)
  for (const part of [
    'Mira Kettlewood',
    'human Lisbon Passport 12',
    'Passport score 1,042.5 Outstanding',
    'Builds kites. builder zk Share Compare',
    'No. 1 in Activity 2nd of 5 people',
    'Activity 1,020 highest of all Identity 12.25 highest of all Skills 10.25 ',
    '1,042.5 points by part',
    'Identity 12.25 from 2 credentials',
    'Alpha FID: 7 4 of 8 30 Dec 2025',
    '1 credential without points',
    'Gamma 0 of 5',
    'Crafts not part of the score Zeta 3 of 4',
    'What would raise the score Epsilon 1,020 of 2,000 up to 980 more points Delta 10.25 of 40 up to 29.75 more points',
    '0xada0…0001 main',
    'Lens mira on Lens example.com Mira K. 1.2k followers 12 following Notes',
  ]) {
    expect(words).toContain(part)
  }
  expect(words).not.toContain('is being recalculated')
  const reasons = readable((await server.look('/passports/12/score')).text)
  expect(reasons).toContain('Score calculation of Mira Kettlewood')
  expect(reasons).toContain('All points came with the imported record.')
  expect(reasons).not.toContain('rule set')
  expect(reasons).toContain('Alpha FID: 7 , points from the imported record 4')
  expect(reasons).not.toContain('Given by the imported record')
  expect(reasons).toContain('1,020 Activity + 12.25 Identity + 10.25 Skills = 1,042.5')
  expect(reasons).not.toContain('The stored score')
  expect(words.lastIndexOf('Beta')).toBeLessThan(words.lastIndexOf('Alpha'))
  expect(text).toContain(
    '<a href="https://example.com/lens/mira" rel="nofollow noopener noreferrer ugc"><bdi>mira</bdi><span class="unseen"> on Lens</span></a>',
  )
})

test('the passport page is found by each wallet of the passport, and by the id of a passport merged into it', async () => {
  await using server = await servePeople([mira, ...OTHERS])
  const { text } = await server.look('/passports/12')
  expect((await server.look(`/passports/${ADA_WALLET.toUpperCase().replace('0X', '0x')}`)).text).toBe(text)
  expect((await server.look('/passports/DemoSo1ana%2FWith%3FOdd%23Letters')).text).toBe(text)
  await server.store.passports.merge(3, 12)
  const merged = readable((await server.look('/passports/3')).text)
  expect(merged).toContain('Mira Kettlewood')
  expect(merged).toContain('Passport 3 was merged into this one.')
})

test('an unknown or malformed reference gets a 404 page', async () => {
  for (const path of [
    '/passports/99',
    '/passports/0xnobody',
    '/passports/%E0%A4',
    '/passports/9007199254740993',
  ]) {
    const { status, headers } = await server.look(path)
    expect([path, status]).toEqual([path, 404])
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  }
  expect(server.errors).toEqual([])
})

test('the passport page says that the score is being recalculated until the new score is saved', async () => {
  await using server = await servePeople([mira])
  await addDataPoint(server.store, 900)
  const before = await server.look('/passports/12')
  expect(before.text).toContain('id="recalculating"')
  expect(before.text).toContain('<noscript>Reload the page')
  await rescore(server.store)
  const after = await server.look('/passports/12', {
    headers: { 'If-None-Match': before.headers.get('ETag') ?? '' },
  })
  expect(after.status).toBe(200)
  expect(after.text).not.toContain('id="recalculating"')
  expect(readable(after.text)).toContain('Passport score 1,057.5')
  expect(readable((await server.look('/passports/12/score')).text)).toContain(
    'GitHub √900 × 0.5 = 15, at most 40 15',
  )
})

test('a passport without any data has a page', async () => {
  await using server = await servePeople([record(5)])
  const words = readable((await server.look('/passports/5')).text)
  expect(words).toContain('Passport 5')
  expect(words).toContain('Passport score 0 Beginner 30 points to Regular')
  expect(words).toContain('No credentials yet.')
  expect(words).toContain('Passport 5 no human check')
  expect(words).not.toMatch(/Not verified|Top|1st|lower/)
})

test.each([false, true])('the passport page links its JSON (key required: %p)', async (needsKey) => {
  await using server = await servePeople([mira], { needsKey })
  const { text } = await server.look('/passports/12')
  expect(text).toContain('<a href="/api/v3/passports/12?include=credentials">')
  expect(text.includes('(key required)')).toBe(needsKey)
})

test('the score page explains why the stored score differs from the result of the rules', async () => {
  await using store = await openTestStore('sqlite', [mira])
  const scores = { total: 1000, activity: 1000, identity: 0, skills: 0 }
  const passport = (await store.passports.find({ id: 12 })) as Passport
  const found = (await createPassportExplainer(store)({ id: 12 })) as ExplainedPassport
  const explain = () => ({ ...found, passport, scores, lines: [], caps: { Activity: 1000 } })
  await using server = serveExplorer(store, { explain })
  expect(readable((await server.look('/passports/12/score')).text)).toContain(
    'The result is 1,000. The stored score, 1,042.5, comes from',
  )
})

test('the passport page works while the explanation is unavailable', async () => {
  await using store = await openTestStore('sqlite', [mira])
  const explain = () => Promise.reject(new ServiceError('unavailable', 'The primary is unavailable.'))
  await using server = serveExplorer(store, { explain })
  expect((await server.look('/passports/12')).status).toBe(200)
  expect((await server.look('/passports/12/score')).status).toBe(503)
  await using working = serveExplorer(store)
  expect((await working.look('/passports/4711/score')).status).toBe(404)
  expect((await server.look('/passports/12/scores')).status).toBe(404)
})

test('the score page explains each credential in words, and says which points come from the imported record', async () => {
  const credentials = ['Base Camp', 'Developer DAO'].map((name) =>
    credential(name, { name, category: 'Skills', score: 8, maxScore: 8, value: 'Verified' }),
  )
  const given = { name: 'Kites', category: 'Skills', score: 9, maxScore: 5, value: '9 kites' }
  const dataPoints = [
    pointOf('base_builder', '', 9, '9 contracts'),
    pointOf('github', 'old', 100, '100 contributions'),
    pointOf('github', 'new', 1764, 'Since 2015-03-02, Total Contributions: 1764'),
    pointOf('celo_builder', '0xde30a', 1, '1 contract'),
    pointOf('celo_builder', '0xde30b', 3, '3 contracts'),
    { ...pointOf('worldcoin', '', 1, ''), value: { kind: 'flag' as const, amount: 1 } },
  ]
  const person = record(1, {
    credentials: [...credentials, credential('c', given)],
    dataPoints,
    stale: true,
  })
  await using server = await servePeople([person])
  await rescore(server.store)
  const words = readable((await server.look('/passports/1/score')).text)
  for (const part of [
    'Each credential earns points by a rule of this site (rule set 2026-11 ). A square root (√) or a logarithm (ln) lets the first steps count most.',
    'World ID Verified : 8 of 8 points 8',
    'Base Developer 9 contracts : √9 × 6 = 18, at most 40 18',
    'GitHub Since 2015-03-02, Total Contributions: 1764 , √1764 × 0.5 = 21, at most 40 new , Since',
    'Celo Developer 2 accounts: √4 × 4 = 8, at most 20 0xde30a , 1 contract 0xde30b , 3 contracts 8',
    'Base Camp Verified , points from the imported record 8',
    'Kites 9 kites , 9 points from the imported record, at most 5 5',
  ])
    expect(words).toContain(part)
  expect(words).not.toContain('Given by')
  expect(words).not.toContain('min(round(')
})

test('the passport page names the issuer of a credential', async () => {
  const dataPoints = [
    { ...pointOf('github', 'new', 16, '16 contributions'), issuer: 'hub & co' },
    { ...pointOf('base_builder', '', 9, ''), issuer: 'chain' },
  ]
  await using server = await servePeople([record(1, { dataPoints, stale: true })])
  await rescore(server.store)
  const words = readable((await server.look('/passports/1')).text)
  expect(words).toContain('GitHub 16 contributions, issued by hub &amp; co 2 of 40')
  expect(words).toContain('Base Developer 9, issued by chain 18 of 40')
})

test('a name with only invisible characters is replaced by the id', async () => {
  await using server = await servePeople([named(8, ' \u200b\u2800\u3164 ')])
  const { text } = await server.look('/passports/8')
  expect(text).toContain('<h1 class="clamp" dir="auto">Passport 8</h1>')
  expect(text).not.toContain('<span class="soft">Passport 8</span>')
})

test('the passport page shows its badge only if the Host header is well-formed or a public URL is configured', async () => {
  await using server = await servePeople([mira])
  const read = async (host: string) => (await server.look('/passports/12', { headers: { Host: host } })).text
  const plain = await read('passports.example:8080')
  expect(plain).toContain(
    '[![Passport badge of Mira Kettlewood](http://passports.example:8080/badge/12.svg?<span class="pick score">show=score</span>',
  )
  expect(await read('[::1]:8080')).toContain('http://[::1]:8080/badge')
  for (const host of ["a'$(id)'", 'a;id', 'a&b', 'a`b`', 'a)(b', 'a"b']) {
    expect([host, /\[!\[Passport|canonical|og:(url|image)/.test(await read(host))]).toEqual([host, false])
  }
  await using known = serveExplorer(server.store, { publicUrl: 'https://passports.example' })
  expect((await known.look('/passports/12', { headers: { Host: "a'b" } })).text).toContain(
    'https://passports.example/badge/12.svg',
  )
})

const DAY = 86_400_000
const day = (time: number) => new Date(time).toISOString().slice(0, 10)

test('the explanations of the explorer and of v3 say why a data point has no points, and until when it counts', async () => {
  const rules = parseRules({
    version: '1',
    types: {
      code: rule({ name: 'Code', unique: 'first' }),
      kites: rule({ expires: '30d', accounts: 'sum' }),
      proof: rule({ name: 'Proof', expires: '30d' }),
    },
  })
  const kites = (account: string, age: number) => ({
    ...dataPoint('kites', 5, account, '5 kites'),
    earnedAt: NOON - age * DAY,
  })
  const proof = { ...dataPoint('proof', 4), earnedAt: NOON - 50 * DAY }
  await using server = await servePeople([
    record(1, { dataPoints: [dataPoint('code', 7, 'ada', '7 commits')] }),
    record(2, {
      dataPoints: [
        dataPoint('code', 7, '@Ada', '7 commits'),
        kites('a', 40),
        kites('b', 10),
        kites('c', 5),
        proof,
      ],
    }),
  ])
  const { store } = server
  await applyRules(store, rules)
  await adoptRules(scorerOf(store, rules))
  await scoreNow(store, rules)

  const words = readable((await server.look('/passports/2/score')).text)
  const [expired, end] = [day(NOON - 10 * DAY), day(NOON + 20 * DAY)]
  for (const part of [
    'Code 7 commits , this account does not count here 0',
    `Kites 2 accounts: 10 × 1 = 10, at most 90, counts until ${end} a , 5 kites (expired on ${expired}) b , 5 kites c , 5 kites 10`,
    `Proof 4 , expired on ${day(NOON - 20 * DAY)} 0`,
  ])
    expect(words).toContain(part)
  expect(readable((await server.look('/passports/1/score')).text)).toContain(
    '7 commits : 7 × 1 = 7, at most 90 7',
  )

  const { body } = await server.get('/api/v3/passports/2?include=explanation')
  expect(body.score).toBe(10)
  expect(body.explanation.lines).toMatchObject([
    { type: 'code', score: 0, formula: '0: this account does not count here' },
    {
      type: 'kites',
      score: 10,
      formula: `min(round(10 × 1), 90) = 10, counts until ${end}`,
      accounts: [{ formula: `0: expired on ${expired}` }, {}, {}],
    },
    { type: 'proof', score: 0, formula: `0: expired on ${day(NOON - 20 * DAY)}` },
  ])
})
