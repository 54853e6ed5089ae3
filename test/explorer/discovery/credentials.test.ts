import { expect, test } from 'bun:test'
import type { Credential } from '../../../src/domain/credential.ts'
import { formatShare } from '../../../src/explorer/credentials/credential-list.ts'
import { describeRule } from '../../../src/explorer/credentials/credential-page.ts'
import { readable, serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { rowsOf } from '../../support/explorer/ranking-rows.ts'
import { shareServer } from '../../support/http/server.ts'
import { onEngine } from '../../support/store/engines.ts'
import { credential, record } from '../../support/store/records.ts'

const github = (score: number) =>
  credential(`g${score}`, { type: 'github', name: 'GitHub', category: 'Skills', score, maxScore: 40 })
const kite = credential('k', { type: 'Kite Club', name: 'Kites', category: 'Hobbies', score: 3, maxScore: 9 })

const holder = (id: number, displayName: string, skills: number, ...more: Credential[]) =>
  record(id, {
    profile: { displayName },
    scores: { total: skills, skills },
    credentials: [github(skills), ...more],
  })

const PEOPLE = [holder(1, 'Ana', 30), holder(2, 'Ben', 40, kite), holder(3, 'Cleo', 5), holder(4, 'Dan', 0)]

onEngine('sqlite', 'credential pages', (open) => {
  const server = shareServer(() => open(PEOPLE), serveExplorer)

  test('the list has all credential types, grouped by part of the score, with the exact number of holders', async () => {
    const { status, text } = await server.look('/credentials')
    expect(status).toBe(200)
    const rows = [...text.matchAll(/<tr><th scope="row">[\s\S]*?<\/tr>/g)].map(([row]) => readable(row))
    expect(rows).toEqual(['GitHub 40 3 75%', 'Kites – 1 25%'])
    const groups = [...text.matchAll(/<tr class="group">[\s\S]*?<\/tr>/g)].map(([row]) => readable(row))
    expect(groups).toEqual(['Skills', 'Without a rule'])
    expect(text).toContain('href="/credentials/kite%20club"')
  })

  test('the page of a type shows the rule in words, the points of all holders, and the top holders', async () => {
    const { status, text } = await server.look('/credentials/github')
    expect(status).toBe(200)
    const words = readable(text)
    expect(words).toContain('Counts toward Skills At most 40 points People 3 , 75% of all')
    expect(words).toContain(
      'The square root of the value, times 0.5, at most 40. Of several accounts, the best one counts.',
    )
    expect(words).toContain('Half have 30 points or more, 1 has the maximum of 40. Based on all 3 people.')
    expect(rowsOf(text).map(({ name, rank }) => `${rank} ${name}`)).toEqual(['1 Ben', '2 Ana', '3 Cleo'])
    expect(rowsOf(text)[1]?.about).toStartWith('<b>30 of 40 points</b>')
    expect(text).toContain('<a class="button" href="/?credential=github">All 3 people with GitHub</a>')
  })

  test('the page of a type without a rule shows the name and the maximum that the credentials of its holders have', async () => {
    const { status, text } = await server.look('/credentials/Kite%20Club')
    expect(status).toBe(200)
    expect(readable(text)).toContain('Kites Counts toward Hobbies At most 9 points People 1')
    expect(text).not.toContain('How it is scored')
  })

  test('a type with a rule has a page even if nobody holds it, and an unknown type has none', async () => {
    const unmet = await server.look('/credentials/worldcoin')
    expect(unmet.status).toBe(200)
    expect(readable(unmet.text)).toContain('It also marks the person as a verified human.')
    expect(readable(unmet.text)).toContain('Nobody has this credential yet.')
    for (const path of ['/credentials/nothing', '/credentials/%20', `/credentials/${'x'.repeat(201)}`])
      expect([path, (await server.look(path)).status]).toEqual([path, 404])
  })
})

test('if a type has many holders, its page shows the points of an evenly spaced sample', async () => {
  const people = Array.from({ length: 1100 }, (_, at) =>
    record(at + 1, { scores: { total: (at % 40) + 1 }, credentials: [github((at % 40) + 1)] }),
  )
  await using server = await servePeople(people)
  const { text } = await server.look('/credentials/github')
  const [, median, sampled] =
    /Half have (\d+) points or more, .* Based on (\d+) of 1,100 people\./.exec(text) ?? []
  expect(Number(sampled)).toBeGreaterThan(300)
  expect(Number(sampled)).toBeLessThanOrEqual(500)
  expect(Math.abs(Number(median) - 21)).toBeLessThanOrEqual(1)
  expect(text.length).toBeLessThan(60_000)
})

test('the shares of holders are rounded to whole percentages, but only a share of everybody is shown as 100%', () => {
  expect([0.4, 1, 53.6, 99.7, 100].map(formatShare)).toEqual(['below 1%', '1%', '54%', '99%', '100%'])
})

test('rules are described in words', () => {
  const rule = { name: '', category: '', max_score: 20, accounts: 'sum', proves_human: false } as const
  const first = (more: object) => describeRule({ ...rule, convert: 'none', multiplier: 1, ...more })
  expect(first({})).toStartWith('1 point for each unit of the value, at most 20.')
  expect(first({ multiplier: 20 })).toStartWith('20 points for having it, at most 20.')
  expect(first({ convert: 'ln', multiplier: 2 })).toStartWith(
    'The natural logarithm of the value, times 2, at most 20.',
  )
  expect(first({ convert: 'years', multiplier: 4 })).toStartWith(
    '4 points for each year since the date of the data point, at most 20.',
  )
})
