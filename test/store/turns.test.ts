import { expect, test } from 'bun:test'
import { ClientGone } from '../../src/domain/errors.ts'
import { createTurns, type Steps } from '../../src/store/turns.ts'

function* work(steps: number, note: () => void = () => undefined): Steps<number> {
  for (let step = 0; step < steps; step++) {
    note()
    yield
  }
  return steps
}

test('work comes to its end, and others have their turn in between', async () => {
  const turns = createTurns()
  let rounds = 0
  let searching = true
  const others = async () => {
    while (searching) {
      await new Promise(setImmediate)
      rounds++
    }
  }
  const watching = others()
  const slow = () => {
    for (const end = performance.now() + 0.1; performance.now() < end; );
  }
  expect(await turns.run(work(100, slow))).toBe(100)
  searching = false
  await watching
  expect(rounds).toBeGreaterThan(20)
})

test('what is short does not wait for the end of what is long', async () => {
  const turns = createTurns()
  const ends: string[] = []
  await Promise.all([
    turns.run(work(100_000)).then(() => ends.push('long')),
    turns.run(work(10)).then(() => ends.push('short')),
  ])
  expect(ends).toEqual(['short', 'long'])
})

test('a failure is of the one whose it is', async () => {
  const turns = createTurns()
  const failing = turns.run(
    work(1, () => {
      throw new Error('broken')
    }),
  )
  const other = turns.run(work(3))
  await expect(failing).rejects.toThrow('broken')
  expect(await other).toBe(3)
})

test('closing ends what is under way', async () => {
  const turns = createTurns()
  let cleaned = false
  function* careful(): Steps<void> {
    try {
      for (;;) yield
    } finally {
      cleaned = true
    }
  }
  const running = turns.run(careful())
  await new Promise(setImmediate)
  turns.close()
  await expect(running).rejects.toThrow('closed')
  expect(cleaned).toBe(true)
})

test('what nobody waits for any more ends in the middle, and what was not begun never begins', async () => {
  const turns = createTurns()
  let steps = 0
  let gone = false
  const first = turns.run(
    work(1_000_000, () => {
      gone = ++steps === 10
    }),
    () => gone,
  )
  const second = turns.run(
    work(1_000_000, () => steps++),
    () => true,
  )
  const results = await Promise.allSettled([first, second, turns.run(work(3))])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  await expect(first).rejects.toBeInstanceOf(ClientGone)
  expect(steps).toBe(10)
})
