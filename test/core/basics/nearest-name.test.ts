import { expect, test } from 'bun:test'
import { describeUnknown, editDistance } from '../../../src/core/basics/text/nearest-name.ts'

test.each([
  ['', '', 0],
  ['score', 'score', 0],
  ['', 'abc', 3],
  ['abc', '', 3],
  ['scor', 'score', 1],
  ['scroe', 'score', 1],
  ['lisobn', 'lisbon', 1],
  ['abcd', 'badc', 2],
  ['kitten', 'sitting', 3],
  ['abcdef', 'defabc', 4],
  ['abc', 'abcdefgh', 4],
  ['xbcdefghij', 'abcdefghiy', 2],
])('the edit distance of %j and %j is %d (4 means more than 3)', (one, other, distance) => {
  expect(editDistance(one, other, 3)).toBe(distance)
  expect(editDistance(other, one, 3)).toBe(distance)
})

test('the nearest name is suggested if at most three and at most half of its characters differ', () => {
  const describe = (name: string) => describeUnknown('field', name, ['scores', 'score', 'q', 'tag'])
  expect(describe('Scor')).toBe('"Scor" is not a known field: did you mean score?')
  expect(describe('tagg')).toBe('"tagg" is not a known field: did you mean tag?')
  expect(describe('x')).toBe('"x" is not a known field: use scores, score, q, tag.')
  expect(describe(`${'x'.repeat(60)}score`)).toEndWith('use scores, score, q, tag.')
})
