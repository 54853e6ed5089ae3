import { expect, test } from 'bun:test'
import type { Credential } from '../../../../src/core/passport/credential.ts'
import type { Scores } from '../../../../src/core/passport/passport.ts'
import { renderGrowth } from '../../../../src/features/explorer/passport/passport-credentials.ts'
import { readable } from '../../../support/explorer/explorer-server.ts'
import { credential } from '../../../support/store/records.ts'

const SCORES: Scores = { total: 60, activity: 10, identity: 20, skills: 30 }

test('the list of possible gains begins with the largest, and omits credentials of categories at their cap', () => {
  const all = [
    credential('a', { name: 'GitHub', category: 'Skills', score: 21, maxScore: 40 }),
    credential('b', { name: 'Lens', category: 'Identity', score: 1, maxScore: 31 }),
    credential('c', { name: 'Full', category: 'Skills', score: 8, maxScore: 8 }),
    credential('d', { name: 'Kites', category: 'Crafts', score: 1, maxScore: 90 }),
    credential('e', { name: 'Empty', category: 'Skills', score: 0, maxScore: 90 }),
    ...Array.from({ length: 9 }, (_, at) =>
      credential(`x${at}`, { name: `Small ${at}`, category: 'Activity', score: 1, maxScore: 2 }),
    ),
  ]
  const render = (credentials: readonly Credential[], caps = {}) =>
    renderGrowth({ credentials, scores: SCORES, types: {}, caps }).markup
  const words = readable(render(all))
  expect(words).toStartWith(
    'What would raise the score Lens 1 of 31 up to 30 more points GitHub 21 of 40 up to 19 more points Small 0',
  )
  expect(words.match(/ more/g)).toHaveLength(4)
  expect(render(all)).toContain('<a href="/credentials/')
  expect(words).not.toMatch(/Full|Kites|Empty/)
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
    const given = { credentials: [one], scores: SCORES, types: own, caps }
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
  expect(step('age', '2025-01-02', 7, 40)).toBe('only time helps: +4 a year')
  // No step is named if the rule does not explain the points, or if there is no number.
  expect(step('tx', '68 transactions', 5)).toBe('up to 15 more points')
  expect(step('tx', 'Verified', 0)).toBe('up to 20 more points')
  expect(step('nothing', '5', 0)).toBe('up to 20 more points')
  expect(step('constructor', '5 things', 5)).toBe('up to 15 more points')
})

test('the steps that raise a score begin with the largest gain', () => {
  const rule = { name: 'X', category: 'Skills', accounts: 'best', proves_human: false } as const
  const types = {
    builds: { ...rule, convert: 'none', multiplier: 4, max_score: 40 },
    age: { ...rule, convert: 'years', multiplier: 2, max_score: 90 },
  } as const
  const credentials = [
    credential('a', { type: 'age', name: 'Age', category: 'Skills', value: '2025-01-02', maxScore: 90 }),
    credential('b', { type: 'x', name: 'Other', category: 'Skills', score: 1, maxScore: 7 }),
    credential('c', {
      type: 'builds',
      name: 'Builds',
      category: 'Skills',
      value: '2 builds',
      score: 8,
      maxScore: 40,
    }),
  ]
  const { markup } = renderGrowth({ credentials, scores: SCORES, types, caps: {} })
  expect(readable(markup)).toMatch(
    /^What would raise the score Builds .*: \+8 Other .*up to 6 more points Age .*: \+2 a year$/,
  )
})
