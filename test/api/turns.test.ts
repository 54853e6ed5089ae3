import { expect, test } from 'bun:test'
import { createTurns } from '../../src/api/page-cache.ts'

test('after two pages, further pages wait for the next turn of the event loop', async () => {
  const takeTurn = createTurns()
  const events: string[] = []
  let isEnded = false
  async function page(name: string): Promise<void> {
    await takeTurn()
    events.push(name)
  }
  function tick(): void {
    events.push('-')
    if (!isEnded) setImmediate(tick)
  }
  setImmediate(tick)
  const pages = [...'abcde'].map(page)
  await Promise.all(pages)
  isEnded = true
  expect(events.join('').replace(/-+/g, '-')).toMatch(/^ab-cd-e/)
  // Later pages start at once.
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  expect(takeTurn()).toBeUndefined()
})
