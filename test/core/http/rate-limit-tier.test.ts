import { expect, test } from 'bun:test'
import {
  DEFAULT_TIERS,
  describeLimits,
  parseTiers,
  TIERS_EXAMPLE,
} from '../../../src/core/config/rate-limit-tier.ts'

const named = (text: string, name: string) => parseTiers(text)?.find((tier) => tier.name === name)

test('an IP address may send 1,000 API requests and load 300 pages and 3,000 pictures per 10 s; keys may send more', () => {
  expect(DEFAULT_TIERS.map((tier) => `${tier.name}: ${tier.requests} in ${tier.window} s`)).toEqual([
    'anonymous: 1000 in 10 s',
    'explorer: 300 in 10 s',
    'pictures: 3000 in 10 s',
    'standard: 5000 in 10 s',
    'high: 20000 in 10 s',
    'unlimited: Infinity in 10 s',
  ])
})

test('the limits are described with and without a key', () => {
  const header = 'The header RateLimit-Policy of a response has the limit that applies.'
  expect(describeLimits(DEFAULT_TIERS, false)).toBe(
    `Without a key, one address may send 1,000 requests in 10 seconds. A key usually allows 5,000 requests in 10 seconds. ${header}`,
  )
  expect(describeLimits(parseTiers('standard=unlimited') ?? [], true)).toBe(
    `A key usually allows any number of requests. ${header}`,
  )
})

test.each([
  ['x=1/1s', { requests: 1, window: 1 }],
  ['x = 600/1m', { requests: 600, window: 60 }],
  ['x=1000000/24h', { requests: 1_000_000, window: 86_400 }],
  ['x=20/10s+5000/month', { requests: 20, window: 10, monthly: 5000 }],
  ['x=20/10s + 0/month', { requests: 20, window: 10, monthly: 0 }],
  ['x=unlimited', { requests: Number.POSITIVE_INFINITY, window: 10 }],
  ['x=1/1s, y=2/1s, x=3/1s', { requests: 3, window: 1 }],
])('%s is a valid tier', (text, tier) => {
  expect(named(text, 'x')).toEqual({ name: 'x', ...tier })
})

test('tiers without a setting keep their defaults, and defaults can be changed', () => {
  const tiers = parseTiers('anonymous=5/1m, partner=9/1s')
  const names = [...DEFAULT_TIERS.map(({ name }) => name), 'partner']
  expect(tiers?.map(({ name }) => name)).toEqual(names)
  expect(tiers?.[0]).toEqual({ name: 'anonymous', requests: 5, window: 60 })
  expect(tiers?.slice(1, -1)).toEqual(DEFAULT_TIERS.slice(1))
  expect(parseTiers(TIERS_EXAMPLE)).toHaveLength(DEFAULT_TIERS.length + 2)
})

const BAD = '|x|x=|x=5|x=0/10s|x=5/0s|x=1000001/1s|x=5/25h|x=5/10d|x=5/10s+5/day|x=-5/10s|x=1.5/10s'.split(
  '|',
)

test.each([...BAD, 'X=5/10s', '1x=5/10s', 'x"=5/10s', 'x=5/10s,', `${'x'.repeat(33)}=5/10s`])(
  '"%s" is not a valid list of tiers',
  (text) => {
    expect(parseTiers(text)).toBeUndefined()
  },
)
