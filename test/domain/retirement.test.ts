import { describe, expect, test } from 'bun:test'
import { type DatedPlan, findPlanProblem, nextChange, phaseAt } from '../../src/domain/retirement.ts'
import { formatDuration, parseDuration } from '../../src/domain/text/duration.ts'
import { formatInstant } from '../../src/domain/text/instant.ts'
import { parseWebAddress } from '../../src/domain/url.ts'

const PLAN: DatedPlan = {
  deprecatedAt: 100,
  sunsetAt: 900,
  brownouts: [
    { start: 200, end: 300 },
    { start: 300, end: 400 },
  ],
  exempt: [],
}

describe('a retirement plan', () => {
  test('passes through its phases in order', () => {
    const at = (now: number) => [phaseAt(PLAN, now), nextChange(PLAN, now)?.at, nextChange(PLAN, now)?.to]
    expect([99, 100, 200, 299, 300, 400, 899, 900].map(at)).toEqual([
      ['announced', 100, 'deprecated'],
      ['deprecated', 200, 'brownout'],
      ['brownout', 300, 'brownout-end'],
      ['brownout', 300, 'brownout-end'],
      ['brownout', 400, 'brownout-end'],
      ['deprecated', 900, 'removed'],
      ['deprecated', 900, 'removed'],
      ['removed', undefined, undefined],
    ])
  })

  test('must be in order of time; brownouts may touch each other and the sunset', () => {
    expect(findPlanProblem(PLAN)).toBeUndefined()
    expect(findPlanProblem({ ...PLAN, sunsetAt: 400 })).toBeUndefined()
    expect(findPlanProblem({ ...PLAN, brownouts: [], sunsetAt: 99 })).toContain('must not lie before')
    expect(findPlanProblem({ ...PLAN, sunsetAt: 399 })).toContain('must end before the sunset')
    const overlapping = [...PLAN.brownouts, { start: 399, end: 500 }]
    expect(findPlanProblem({ ...PLAN, brownouts: overlapping })).toContain('overlap')
  })
})

test.each([
  ['2h', 7_200_000, '2 h'],
  ['90m', 5_400_000, '1 h 30 min'],
  ['1d12h', 129_600_000, '1 d 12 h'],
  ['45s', 45_000, '45 s'],
  ['0m', 0, '0 s'],
])('%s is a duration', (text, milliseconds, words) => {
  expect(parseDuration(text)).toBe(milliseconds)
  expect(formatDuration(milliseconds)).toBe(words)
})

test.each(['', '2', 'h', '2 h', '-2h', '1.5h', '2h1d', '999999h', '2w'])('%p is not a duration', (text) => {
  expect(parseDuration(text)).toBeUndefined()
})

test('formatInstant omits seconds that are zero', () => {
  expect(formatInstant(Date.UTC(2026, 11, 1, 9))).toBe('2026-12-01 09:00 UTC')
  expect(formatInstant(Date.UTC(2026, 11, 1, 9, 0, 7))).toBe('2026-12-01 09:00:07 UTC')
})

test.each([
  ['https://example.com/v2', 'https://example.com/v2'],
  ['HTTP://Example.com', 'http://example.com/'],
  ['https://example.com/a?b=c,d;e#f', 'https://example.com/a?b=c,d;e#f'],
  ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
])('%s is an accepted URL', (text, address) => {
  expect(parseWebAddress(text)).toBe(address)
  expect(parseWebAddress(address)).toBe(address)
})

test.each([
  '',
  '/v2',
  'ftp://example.com/',
  'javascript:alert(1)',
  'https://',
  'https://a b/',
  'https://a/\r\nSet-Cookie: x=y',
  "https://a/'",
  'https://user:secret@example.com/',
  `https://a/${'x'.repeat(1000)}`,
])('%p is not an accepted URL', (text) => {
  expect(parseWebAddress(text)).toBeUndefined()
})

test('an accepted URL contains no character that could end it', () => {
  for (const letter of '<>"`\\^{|}\' \t\r\n\0\u202e\u2028') {
    for (const place of ['/x', '/?x', '/#x', 'xb/']) {
      const address = parseWebAddress(`https://a${place.replace('x', letter)}`)
      expect(address ?? '').toMatch(/^[!#-&(-;=?-Z[\]_a-z~]*$/)
    }
  }
})
