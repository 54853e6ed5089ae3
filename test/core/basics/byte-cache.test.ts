import { expect, test } from 'bun:test'
import { createByteCache } from '../../../src/core/basics/byte-cache.ts'

test('a value above the limit is returned but not cached, and evicts no other value', () => {
  const cache = createByteCache<string>(10_000)
  const add = (key: string, bytes: number) => cache.getOrAdd(key, () => ({ value: key, bytes }))
  add('first', 3000)
  add('second', 3000)
  expect(add('huge', 10_000)).toBe('huge')
  expect(['first', 'second', 'huge'].map(cache.find)).toEqual(['first', 'second', undefined])
})

test('the least recently used value is evicted first', () => {
  const cache = createByteCache<string>(10_000)
  const add = (key: string) => cache.getOrAdd(key, () => ({ value: key, bytes: 4000 }))
  add('first')
  add('second')
  cache.find('first')
  add('third')
  expect(['first', 'second', 'third'].map(cache.find)).toEqual(['first', undefined, 'third'])
})

test('the bytes of long keys count toward the limit', () => {
  const cache = createByteCache<string>(10_000)
  const keys = [1, 2].map((number) => `${number} ${'x'.repeat(3000)}`)
  for (const key of keys) cache.getOrAdd(key, () => ({ value: key, bytes: 0 }))
  expect(keys.map(cache.find)).toEqual([undefined, keys[1]])
})
