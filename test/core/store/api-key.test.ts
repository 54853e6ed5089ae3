import { expect, test } from 'bun:test'
import { formatKey, KEY_RANDOM_BYTES, keyState, parseKeyId } from '../../../src/core/store/api-key.ts'
import { apiKey } from '../../support/store/records.ts'

const random = Uint8Array.from({ length: KEY_RANDOM_BYTES }, (_, at) => at)

test('a key has a recognisable prefix, its public id and 256 random bits', () => {
  const { id, key } = formatKey(random)
  expect(id).toBe('0001020304')
  expect(key).toBe('ppd_0001020304_05060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021222324')
  expect(parseKeyId(key)).toBe(id)
  expect(formatKey(random, 'ppdp')).toEqual({ id, key: key.replace('ppd_', 'ppdp_') })
  expect(parseKeyId(key.replace('ppd_', 'ppdp_'))).toBe(id)
})

test.each([
  '',
  'ppd_',
  'ppd_0001020304_05',
  `${formatKey(random).key}0`,
  formatKey(random).key.toUpperCase(),
])('%p is not a key', (text) => {
  expect(parseKeyId(text)).toBeUndefined()
})

test('a key expires at its expiry time, and a revoked key stays revoked', () => {
  const key = apiKey('a', { expiresAt: 100 })
  expect(keyState(key, 99)).toBe('active')
  expect(keyState(key, 100)).toBe('expired')
  expect(keyState({ ...key, revokedAt: 50 }, 100)).toBe('revoked')
})
