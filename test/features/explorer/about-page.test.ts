import { expect, test } from 'bun:test'
import type { RuleSetShape } from '../../../src/core/passport/rules/rule-set.ts'
import type { Rule } from '../../../src/core/scoring/stamped-rule-set.ts'
import { html } from '../../../src/ui/html.ts'
import { renderLayout } from '../../../src/ui/layout.ts'
import { expectPage, readable, serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { createSite } from '../../support/explorer/site.ts'
import { MIRROR } from '../../support/features/mirror.ts'
import { createReference } from '../../support/features/reference.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { PROGRAM } from '../../support/program/commands.ts'
import { DEFAULT_SITE, DEMO_SITE } from '../../support/program/settings.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { NOON, named, PEOPLE } from '../../support/store/records.ts'
import { applyRules, DEFAULT_RULES, stampRules } from '../../support/store/scoring.ts'

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveExplorer)

const sectionOf = (page: string, id: string) =>
  new RegExp(`<section id="${id}">.*?</section>`, 's').exec(page)?.[0] ?? ''

test('/about is linked in the header and the footer of every page', async () => {
  for (const path of [
    '/',
    '/passports/7',
    '/credentials',
    '/reference/v3',
    '/deprecation',
    '/passports/4711',
  ])
    expect((await server.look(path)).text.match(/<a href="\/about">/g)?.length).toBeGreaterThanOrEqual(2)
  const { status, text } = await server.look('/about')
  expect(status).toBe(200)
  expect(text).toContain('<a href="/about" aria-current="page">About</a>')
  expect(text).toContain(`<link rel="canonical" href="${server.url.origin}/about">`)
})

const linked = (href: string, text = href) => `<a href="${href}" rel="noreferrer">${text}</a>`

/** What /about shows with these settings of the site. */
const WITH_SETTINGS: Record<string, [settings: object, sees: string[]]> = {
  '/about names the owner, the contact and the source of keys': [
    {
      ...{ name: 'Guild of Kites', owner: 'Ada & "Zoe"', contact: 'mailto:hello@kites.example' },
      ...{ privacyUrl: 'https://kites.example/privacy', keys: 'https://kites.example/keys' },
      limits: 'Without a key, 7 requests.',
    },
    [
      'Run by Ada &amp; &quot;Zoe&quot; Contact hello@kites.example',
      'Write to hello@kites.example . Claim the passport: give its number',
      ...['Correct: what', 'Complete: which', 'Hide or remove: the passport disappears'],
      '<a href="https://kites.example/privacy" rel="noreferrer">',
      'following changes and writing need one. Without a key, 7 requests.</p>',
      `How to get a key: ${linked('https://kites.example/keys')}`,
    ],
  ],
  '/about says what the operator has not stated': [
    {},
    [
      'This site runs passportd, open source software',
      'Run by Not stated Contact Not stated',
      'This site names no contact. Ask the person who gave you its address, or the <a href="#data">source of the record</a>.',
      'This site does not say how to get a key.',
    ],
  ],
  '/about without a contact names the owner as the one to ask': [
    { owner: 'Kites & Co.' },
    ['This site names no contact. Ask Kites &amp; Co., or the source of the record .'],
  ],
  '/about links the addresses in the text about keys, and refers to it if there is no contact': [
    { keys: 'Write to keys@kites.example, or see (https://kites.example/keys?a=1&b=2).' },
    [
      `How to get a key: Write to ${linked('mailto:keys@kites.example', 'keys@kites.example')}, or see (${linked('https://kites.example/keys?a=1&amp;b=2')}).</p>`,
      'Ask those who <a href="#keys">give out its keys</a>',
    ],
  ],
  '/about names the contact if it says nothing about keys': [
    { contact: 'https://kites.example/contact' },
    ['To get a key, write to https://kites.example/contact .'],
  ],
}
for (const [title, [settings, sees]] of Object.entries(WITH_SETTINGS))
  test(title, async () => {
    await using server = await servePeople(PEOPLE, { settings: { ...DEFAULT_SITE, ...settings } })
    await expectPage(server.look, ['/about', sees])
  })

test('/about says whether programs need a key, and /me refers to it', async () => {
  await using server = await servePeople(PEOPLE, { needsKey: true })
  await expectPage(server.look, ['/about', ['Every call needs a key.']])
  await expectPage(server.look, [
    '/me',
    ['cannot be checked here. <a href="/about#you">Ask the operator</a> instead.'],
  ])
})

test('every page names the owner with a link to /about, and without the explorer no link', async () => {
  const settings = { ...DEFAULT_SITE, owner: 'Kites & Co.' }
  await using server = await servePeople(PEOPLE, { settings })
  for (const path of ['/', '/passports/7', '/movers', '/credentials', '/about'])
    await expectPage(server.look, [path, ['skills. Run by <a href="/about">Kites &amp; Co</a>.</p>']])
  const { site } = createSite(settings, '', false)
  const page = renderLayout({ site, title: 'API', description: '', main: html`` })
  expect(page).toContain('skills. Run by Kites &amp; Co.</p>')
})

test('/about describes the built-in rules: the parts, the credentials that count most, the proofs of a human', async () => {
  const { text } = await server.look('/about')
  await expectPage(server.look, [
    '/about',
    [
      'Activity 168 16 credentials Identity 105 12 credentials Skills 393 18 credentials',
      '<a href="/credentials/github"><bdi>GitHub</bdi> <span>40</span></a>',
    ],
  ])
  expect(sectionOf(text, 'parts')).toContain('<a href="/credentials">')
  const human = sectionOf(text, 'human')
  const proofs = Object.values(DEFAULT_RULES.types).filter((rule) => rule.proves_human)
  for (const { name } of proofs) expect(human).toContain(`<bdi>${name}</bdi>`)
  expect(human.match(/<li>/g)).toHaveLength(proofs.length)
})

const rule = (given: Partial<Rule>): Rule => ({
  ...(DEFAULT_RULES.types.github as Rule),
  proves_human: false,
  ...given,
})

const OWN_RULES: RuleSetShape = {
  version: 'kites',
  caps: { Skills: 50 },
  levels: [
    { name: 'Novice', from: 0 },
    { name: 'Flyer', from: 10 },
    { name: 'Master', from: 40 },
  ],
  types: {
    kite: rule({ name: 'Kites & winds', category: 'Skills', max_score: 80 }),
    hat: rule({ name: 'Hats', category: 'Clothes', max_score: 500 }),
  },
}

test('/about follows the active rules: caps, and levels with their thresholds', async () => {
  await using server = await servePeople([named(1, 'A', 5), named(2, 'B', 10), named(3, 'C', 999)])
  const apply = (rules: RuleSetShape) => applyRules(server.store, stampRules(rules))
  expect((await server.look('/about')).text).toContain('Outstanding')
  await apply(OWN_RULES)
  const { text } = await server.look('/about')
  expect(readable(sectionOf(text, 'parts'))).toContain('Skills 50 capped, 1 credential')
  expect(text).toContain('<bdi>Kites &amp; winds</bdi> <span>80</span>')
  // Hats count toward no part of the score.
  expect(text).not.toContain('Hats')
  expect(readable(sectionOf(text, 'human'))).toContain('No rule of this site marks people as human.')
  const levels = sectionOf(text, 'levels')
  expect(readable(levels)).toContain('Level From Master 40 Flyer 10 Novice 0')
  for (const link of [
    'score:%3E%3D40">Master',
    'score:%3C40,score:%3E%3D10">Flyer',
    'score:%3C10,score:%3E%3D0">Novice',
  ])
    expect(levels).toContain(`<a href="/?filter=${link}</a>`)
  const { levels: _, ...without } = OWN_RULES
  await apply({ ...without, types: {} })
  expect((await server.look('/about')).text).not.toContain('id="levels"')
})

test('a demo says once on /about and on the home page that its people are invented, other services do not', async () => {
  await using demo = await servePeople(PEOPLE, { settings: { ...DEFAULT_SITE, demo: true } })
  const about = (await demo.look('/about')).text
  expect(about).toContain('This is a demo. Its people and their records are invented.')
  expect(about.match(/invented/g)).toHaveLength(1)
  const contact = { ...DEFAULT_SITE, ...DEMO_SITE }
  await using example = await servePeople(PEOPLE, { settings: contact })
  expect((await example.look('/about')).text).toContain('are invented, and its contact is an example.')
  expect(readable(about)).toContain('Run by The person who started this demo')
  expect((await demo.look('/')).text).toContain('This is a demo: its people are invented.')
  for (const path of ['/about', '/']) expect((await server.look(path)).text).not.toContain('invented')
})

test('/about says how old the data is, and from which host it was copied', async () => {
  await using server = await servePeople(PEOPLE)
  const read = async () => readable((await server.look('/about')).text)
  expect(await read()).toContain('Last change 2 January 2026')
  expect(await read()).toContain('The records were imported, and other services can add facts to them.')
  await server.store.data(MIRROR).begin('https://v1.example.com/base')
  await server.store.records.save([{ kind: 'passport', passport: named(77, 'New') }], {
    now: NOON + 60_000,
    restore: false,
  })
  expect(await read()).toContain('Last change 2 January 2026')
  expect(await read()).toContain('Records are copied from v1.example.com.')
})

test('/about and the reference of a demo show the command that creates a key as text to copy', async () => {
  await using server = await servePeople(PEOPLE, { settings: { ...DEFAULT_SITE, ...DEMO_SITE } })
  const command = `<p class="copyable" data-copy="command"><code>${PROGRAM} keys create --demo --name me</code></p>`
  expect(sectionOf((await server.look('/about')).text, 'keys')).toContain(command)
  const { site } = createSite({ ...DEFAULT_SITE, ...DEMO_SITE })
  await using reference = serveTest(server.store, { routes: createReference({ site }) })
  for (const path of ['/reference', '/reference/v3', '/reference/v3/getRules'])
    expect((await reference.get(path)).text).toContain(command)
})
