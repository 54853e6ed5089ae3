import { expect, test } from 'bun:test'
import { CHUNK, mapChunks } from '../../src/catalog/chunks.ts'

const upTo = (length: number) => Array.from({ length }, (_, at) => at)

test.each([0, 1, CHUNK, CHUNK + 1, 2 * CHUNK, 5 * CHUNK - 1])(
  '%d items are read in order, in chunks',
  async (n) => {
    const sizes: number[] = []
    const items = await mapChunks(upTo(n), (chunk) => {
      sizes.push(chunk.length)
      return chunk
    })
    expect(items.flat()).toEqual(upTo(n))
    expect(sizes).toHaveLength(Math.max(1, Math.ceil(n / CHUNK)))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(CHUNK)
  },
)

test('other work runs between two chunks', async () => {
  const events: string[] = []
  await mapChunks(upTo(3 * CHUNK), (_chunk, at) => {
    events.push(`${at}`)
    setImmediate(() => events.push('other'))
  })
  expect(events).toEqual(['0', 'other', `${CHUNK}`, 'other', `${2 * CHUNK}`])
})
