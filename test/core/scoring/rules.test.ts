import { expect, test } from 'bun:test'
import { levelOf } from '../../../src/core/passport/rules/rule-set.ts'
import { parseRules, RulesError, warningsOf } from '../../../src/core/scoring/rules-format.ts'
import { DEFAULT_RULES } from '../../../src/core/scoring/stamped-rule-set.ts'
import { rule } from '../../support/store/rule-files.ts'

const good = { version: '1', types: { github: rule({ convert: 'sqrt' }) } }
const withRule = (given: object) => ({ ...good, types: { github: rule({ convert: 'sqrt', ...given }) } })

const withLevels = (...levels: [name: string, from: number][]) => ({
  ...good,
  levels: levels.map(([name, from]) => ({ name, from })),
})

function problemsOf(value: unknown): readonly string[] {
  try {
    parseRules(value)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(RulesError)
    return (error as RulesError).problems
  }
}

test('the built-in rule set is valid', () => {
  const { stamp: _, ...file } = DEFAULT_RULES
  expect(parseRules(file)).toEqual(DEFAULT_RULES)
})

test('a change of a rule or level changes the stamp, even if the version stays the same', () => {
  const files = [good, withRule({ multiplier: 0.6 }), withLevels(['New', 0]), withLevels(['Beginner', 0])]
  const stamps = files.map((file) => parseRules(file).stamp)
  expect(stamps).toEqual(files.map((file) => parseRules(structuredClone(file)).stamp))
  expect(new Set(stamps).size).toBe(4)
  for (const stamp of stamps) expect(stamp).toStartWith('1+')
})

test.each([
  [0, 'New', 'Old'],
  [29.99, 'New', 'Old'],
  [30, 'Old', undefined],
  [1e9, 'Old', undefined],
])('the level of a score of %d is %s, and the next level is %s', (total, name, next) => {
  const found = levelOf(total, parseRules(withLevels(['New', 0], ['Old', 30])))
  expect([found?.level.name, found?.next?.name]).toEqual([name, next])
  expect(levelOf(total, parseRules(good))).toBeUndefined()
})

test.each([
  [null, 'The rule set must be an object, got null.'],
  [[], 'The rule set must be an object, got [].'],
  [{ types: good.types }, 'version is missing.'],
  [{ ...good, version: '' }, 'version must be'],
  [{ ...good, extra: 1 }, 'extra is not a known field.'],
  [{ version: '1', types: {} }, 'types must have at least one type.'],
  [withRule({ max_score: '40' }), 'types.github.max_score must be a number, got "40".'],
  [withRule({ max_score: -1 }), 'types.github.max_score must be at least 0, got -1.'],
  [withRule({ convert: 'cube' }), 'types.github.convert must be none, sqrt, ln or years, got "cube".'],
  [withRule({ accounts: 'worst' }), 'types.github.accounts must be sum or best, got "worst".'],
  [withRule({ proves_human: 'yes' }), 'types.github.proves_human must be a boolean, got "yes".'],
  [withRule({ unique: true }), 'types.github.unique must be first, got true.'],
  [withRule({ unique: 'last' }), 'types.github.unique must be first, got "last".'],
  [withRule({ expires: 90 }), 'types.github.expires must be a string, got 90.'],
  ...['', '*', 'GitHub', 'a b', 'a'.repeat(33)].map((issuer): [object, string] => [
    withRule({ issuer }),
    `types.github.issuer must be the NAME of a scope write:NAME (a-z, 0-9, _ and -, at most 32), got "${issuer}".`,
  ]),
  ...['90 days', '0d', '-1d', '1.5d', '10000d', '', 'd'].map((expires): [object, string] => [
    withRule({ expires }),
    `types.github.expires must be a number of days from 1d to 9999d, such as "90d", got "${expires}".`,
  ]),
  [withRule({ points: 3 }), 'types.github.points is not a known field.'],
  [
    withRule({ convert: 'years', accounts: 'sum' }),
    'types.github.accounts must be "best": dates of several accounts cannot be summed.',
  ],
  [{ ...good, caps: { Skils: 3 } }, 'caps.Skils names a category that no type has.'],
  [{ ...good, caps: { Skills: -3 } }, 'caps.Skills must be at least 0, got -3.'],
  [{ ...good, levels: 'Beginner' }, 'levels must be an array, got "Beginner".'],
  [{ ...good, levels: [] }, 'levels must be a list that is not empty, got [].'],
  [withLevels(...Array(21).fill(['A', 0])), 'levels must be a list of at most 20 entries, got'],
  [{ ...good, levels: [{ name: 'A' }] }, 'levels.0.from is missing.'],
  [{ ...good, levels: [{ name: 'A', from: 0, to: 9 }] }, 'levels.0.to is not a known field.'],
  [withLevels(['', 0]), 'levels.0.name must be a string that is not empty, got "".'],
  [withLevels(['A'.repeat(41), 0]), 'levels.0.name must be at most 40 characters long, got'],
  [withLevels(['A', -1]), 'levels.0.from must be at least 0, got -1.'],
  [withLevels(['A', 1]), 'levels.0.from must be 0, so that every score has a level, got 1.'],
  [
    withLevels(['A', 0], ['B', 9], ['C', 9]),
    'levels.2.from must be more than 9, the start of the level before, got 9.',
  ],
  [withLevels([' ', 0]), 'levels.0.name must not be blank, got " ".'],
  [withLevels(['A', 0], ['A', 9]), 'levels.1.name must differ from the names of other levels, got "A".'],
])('%j is refused: %s', (value, sentence) => {
  expect(problemsOf(value).join('\n')).toContain(sentence)
})

test('several problems of a rule set are reported at once', () => {
  expect(
    problemsOf({ ...withRule({ max_score: 'x', convert: 'cube' }), caps: { Skills: 'y' } }),
  ).toHaveLength(3)
})

test('a category that does not count toward a score causes a warning', () => {
  expect(warningsOf(parseRules(withRule({ category: 'skills' })))).toEqual([
    'types.github.category is "skills": only Activity, Identity and Skills count toward a score.',
  ])
})
