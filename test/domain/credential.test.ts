import { expect, test } from 'bun:test'
import { sumScores } from '../../src/domain/credential.ts'
import { credential } from '../support/records.ts'

test('scores are sums by category, to two decimals; another category counts toward none', () => {
  const scores = sumScores([
    credential('1', { category: 'Activity', score: 0.1 }),
    credential('2', { category: 'Activity', score: 0.2 }),
    credential('3', { category: 'Identity', score: 5 }),
    credential('4', { category: 'Skills', score: 7.25 }),
    credential('5', { category: 'Hobbies', score: 100 }),
  ])
  expect(scores).toEqual({ activity: 0.3, identity: 5, skills: 7.25, total: 12.55 })
})
