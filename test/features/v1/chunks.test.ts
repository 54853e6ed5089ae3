import { expect, test } from 'bun:test'
import { CHUNK } from '../../../src/core/lists/list-request.ts'
import { mapChunks } from '../../../src/features/v1/chunks.ts'

test('the event loop runs between two chunks', async () => {
  const events: string[] = []
  const ids = Array.from({ length: 3 * CHUNK }, (_, id) => id)
  await mapChunks(ids, (_chunk, at) => {
    events.push(`${at}`)
    setImmediate(() => events.push('other'))
  })
  expect(events).toEqual(['0', 'other', `${CHUNK}`, 'other', `${2 * CHUNK}`])
})
