import { expect, test } from 'bun:test'
import { createLargePages, createTurns } from '../../src/api/page-cache.ts'

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

test('at most four large pages are rendered at the same time, also after a failure', async () => {
  const largePages = createLargePages()
  const gates = Array.from({ length: 7 }, () => Promise.withResolvers<void>())
  const started: number[] = []
  const pages = gates.map(({ promise }, at) =>
    largePages(async () => {
      started.push(at)
      await promise
      return at
    }).catch((error: Error) => error.message),
  )
  await new Promise(setImmediate)
  expect(started).toEqual([0, 1, 2, 3])
  gates[2]?.reject(new Error('failed'))
  expect(await pages[2]).toBe('failed')
  await new Promise(setImmediate)
  expect(started).toEqual([0, 1, 2, 3, 4])
  for (const { resolve } of gates) resolve()
  expect(await Promise.all(pages)).toEqual([0, 1, 'failed', 3, 4, 5, 6])
  expect(await largePages(async () => 'later')).toBe('later')
})
