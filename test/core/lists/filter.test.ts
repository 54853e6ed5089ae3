import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ServiceError } from '../../../src/core/basics/errors.ts'
import {
  type Condition,
  FILTER_FIELDS,
  type Filter,
  type FilterField,
  formatFilter,
  LONGEST_FILTER,
  MOST_CONDITIONS,
  type Operator,
  parseFilter,
} from '../../../src/core/lists/filter.ts'

const is = (value: string | number, operator: Operator = '='): Condition => ({ not: false, operator, value })
const not = (value: string): Condition => ({ ...is(value), not: true })
const term = (field: FilterField, ...conditions: Condition[]) => ({ field, conditions })

describe('a filter', () => {
  const accepted: [text: string, filter: Filter][] = [
    ['human:true', [term('human', is('true'))]],
    ['human:!TRUE', [term('human', not('true'))]],
    ['score:50', [term('score', is(50))]],
    ['score:=50.25', [term('score', is(50.25))]],
    ['skills_score:>=-1', [term('skills_score', is(-1, '>='))]],
    ['score:<10|>90', [term('score', is(10, '<'), is(90, '>'))]],
    ['type:github|ens,tag:!bot', [term('type', is('github'), is('ens')), term('tag', not('bot'))]],
    [
      ' type : github | ens , score : > 5 ',
      [term('type', is('github'), is('ens')), term('score', is(5, '>'))],
    ],
    ['location:New  York', [term('location', is('new york'))]],
    ['location:"Köln, am|Rhein: x"', [term('location', is('koln, am|rhein: x'))]],
    ['tag:!"!>a \\"b\\" \\\\c"', [term('tag', not('!>a "b" \\c'))]],
    ['rules:2026-11+ab12cd34', [term('rules', is('2026-11+ab12cd34'))]],
    ['points:GitHub>20', [term('points', { ...is(20, '>'), type: 'github' })]],
    ['points:! kite club <= 2.5', [term('points', { ...is(2.5, '<='), type: 'kite club', not: true })]],
    ['points:"a>b"=3|ens<1', [term('points', { ...is(3), type: 'a>b' }, { ...is(1, '<'), type: 'ens' })]],
  ]
  test.each(accepted)('%j is parsed', (text, filter) => {
    expect(parseFilter(text)).toEqual(filter)
  })

  const refused: [text: string, message: string][] = [
    ['', 'filter at character 1: expected a field (score'],
    ['  ', 'filter at character 3: expected a field (score'],
    [',', 'filter at character 1: expected a field (score'],
    ['human:true,', 'filter at character 12: expected a field (score'],
    ['human', 'filter at character 6: expected a colon after human, got the end of the filter.'],
    ['human=true', 'filter at character 6: expected a colon after human, got "=true".'],
    ['scor:5', 'filter at character 1: "scor" is not a known field: did you mean score?'],
    ['human:true,tags:x', 'filter at character 12: "tags" is not a known field: did you mean tag?'],
    ['human:yes', 'filter at character 7: expected human:true or human:false, got "yes".'],
    ['score:high', 'filter at character 7: expected a number for score, such as score:>50, got "high".'],
    ['score:>', 'filter at character 8: expected a value of score, got the end of the filter.'],
    ['score:>>5', 'expected a number for score'],
    ['score:1e5', 'expected a number for score'],
    ['score:0x10', 'expected a number for score'],
    ['score:1234567890123456', 'expected a number for score'],
    ['tag:', 'filter at character 5: expected a value of tag, got the end of the filter.'],
    ['tag:|x', 'filter at character 5: expected a value of tag, got "|x".'],
    ['tag:x|', 'filter at character 7: expected a value of tag'],
    ['tag:!!x', 'filter at character 6: expected a value of tag, got "!x".'],
    ['tag:""', 'filter at character 5: expected a value of tag that is not blank, got "".'],
    ['tag:>5', 'filter at character 5: expected a value of tag, which is not compared by size'],
    [
      'tag:a:b',
      'filter at character 6: expected a value without colon and quote, or a value in double quotes',
    ],
    ['tag:a"b', 'filter at character 6: expected a value without colon and quote'],
    ['tag:"a', 'filter at character 5: expected a closing double quote'],
    ['tag:"a\\x"', 'filter at character 5: expected a closing double quote'],
    ['tag:"a"b', 'filter at character 8: expected a comma, a pipe or the end of the filter, got "b".'],
    ['points:github', 'filter at character 14: expected a comparison, such as points:github>20, got the end'],
    [
      'points:>20',
      'filter at character 8: expected the type of a credential, such as points:github>20, got ">20".',
    ],
    [
      'points:',
      'filter at character 8: expected the type of a credential, such as points:github>20, got the end',
    ],
    ['points:github>x', 'expected a number for points, such as points:github>50, got "x".'],
    ['__proto__:x', 'filter at character 1: "__proto__" is not a known field'],
    [`tag:${'x'.repeat(LONGEST_FILTER)}`, `filter may have at most ${LONGEST_FILTER} characters, got 1004.`],
    [
      `score:${Array.from({ length: MOST_CONDITIONS + 1 })
        .fill(1)
        .join('|')}`,
      'at most 32 values',
    ],
    // Each value is counted before it is parsed, so "high" is not reported.
    [`score:${'1|'.repeat(MOST_CONDITIONS)}high`, 'at most 32 values'],
  ]
  test.each(refused)('%j is refused', (text, message) => {
    expect(() => parseFilter(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
    expect(() => parseFilter(text)).toThrow(message)
  })

  test('any text is parsed as a filter, or refused with a sentence', () => {
    const piece = fc.constantFrom(...Object.keys(FILTER_FIELDS), ...':,|!"\\<>= ', 'true', '5', 'é', '\n')
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 30 }).map((all) => all.join('')),
        ),
        (text) => {
          try {
            expect(parseFilter(text)).toBeArray()
          } catch (error) {
            expect(error).toBeInstanceOf(ServiceError)
            expect((error as ServiceError).message).toMatch(/^filter .+[.?]$/s)
          }
        },
      ),
      { numRuns: 400 },
    )
  })

  test('terms that are serialized to a filter text are parsed to the same terms', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab ,|:!"\\<>='), minLength: 1, maxLength: 8 })
    const value = text.map((each) => `x${each.replace(/ +/g, ' ')}x`)
    const not = fc.boolean()
    const operator = fc.constantFrom<Operator>('=', '>', '>=', '<', '<=')
    const number = fc.constantFrom(-1, 0, 20.25)
    const termOf = (fields: FilterField[], condition: fc.Arbitrary<Condition>) =>
      fc.record({
        field: fc.constantFrom(...fields),
        conditions: fc.array(condition, { minLength: 1, maxLength: 3 }),
      })
    const term = fc.oneof(
      termOf(['tag', 'location', 'type', 'source'], fc.record({ not, operator: fc.constant('='), value })),
      termOf(['score'], fc.record({ not, operator, value: number })),
      termOf(['points'], fc.record({ not, operator, value: number, type: value })),
    )
    fc.assert(
      fc.property(fc.array(term, { minLength: 1, maxLength: 5 }), (filter) => {
        expect(parseFilter(formatFilter(filter))).toEqual(filter)
      }),
    )
  })
})
