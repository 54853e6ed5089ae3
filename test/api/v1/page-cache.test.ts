import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ready } from '../../../src/api/answer.ts'
import { createPageCache } from '../../../src/api/v1/page-cache.ts'

const ROOM = 100
const EDITION = {}

/** Makes a page of so many bytes, each of them the number. */
function make(cache: ReturnType<typeof createPageCache>, number: number, length: number) {
  return ready(cache.take(length).fill(number))
}

test('a page that is found is as it was made, whatever was made since', () => {
  const step = fc.record({ length: fc.integer({ min: 1, max: ROOM }), isKept: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cache = createPageCache(ROOM)
      const lengths = new Map<number, number>()
      for (const [number, { length, isKept }] of steps.entries()) {
        cache.find(EDITION, '')
        const page = make(cache, number, length)
        if (isKept) {
          cache.keep(`${number}`, page)
          lengths.set(number, length)
        }
        for (const [earlier, length] of lengths) {
          const found = cache.find(EDITION, `${earlier}`)
          if (found) expect(found.body).toEqual(Buffer.alloc(length, earlier))
        }
        if (isKept) expect(cache.find(EDITION, `${number}`)).toBe(page)
      }
    }),
  )
})

test('as many are kept as there is room for', () => {
  const cache = createPageCache(ROOM)
  cache.find(EDITION, '')
  for (const number of [1, 2, 3, 4]) cache.keep(`${number}`, make(cache, number, 30))
  const found = [1, 2, 3, 4].map((number) => cache.find(EDITION, `${number}`) !== undefined)
  expect(found).toEqual([false, true, true, true])
})

test('one that is too large is not kept, nor any where the engine cannot tell what changes', () => {
  const cache = createPageCache(ROOM)
  cache.find(EDITION, '')
  cache.keep('1', make(cache, 1, ROOM + 1))
  expect(cache.find(EDITION, '1')).toBeUndefined()
  cache.find(undefined, '')
  cache.keep('2', make(cache, 2, 5))
  expect(cache.find(undefined, '2')).toBeUndefined()
})

test('none is found after a change', () => {
  const cache = createPageCache(ROOM)
  cache.find(EDITION, '')
  cache.keep('1', make(cache, 1, 5))
  expect(cache.find({}, '1')).toBeUndefined()
  expect(cache.find(EDITION, '1')).toBeUndefined()
})
