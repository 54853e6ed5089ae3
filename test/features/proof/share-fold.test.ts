import { expect, test } from 'bun:test'
import { shareFold } from '../../../src/features/proof/share-fold.ts'
import { failureOf } from '../../support/http/server.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'

onEveryEngine('requests of the head of the event log', (open) => {
  test('many at once need two calls of the writer thread, and only the first ones count the events', async () => {
    await using store = await open([record(1), record(2)])
    let calls = 0
    let running = 0
    const fold = shareFold(async (limit) => {
      calls++
      expect(++running).toBe(1)
      const result = await store.events.fold(limit)
      running--
      return result
    })
    const first = fold(100)
    // The first call begins before the others arrive.
    await Promise.resolve()
    const others = await Promise.all(Array.from({ length: 2000 }, () => fold(100)))
    expect(calls).toBe(2)
    expect([await first, ...others].reduce((sum, { folded }) => sum + folded, 0)).toBe(2)
    expect(new Set(others.map(({ length }) => length))).toEqual(new Set([2]))
  })

  test('a request includes the events of writes before it, even while another request is waiting', async () => {
    await using store = await open([record(1)])
    const fold = shareFold(store.events.fold)
    const before = fold(100)
    await Promise.resolve()
    await saveRecords(store, [record(2)])
    expect((await fold(100)).last).toBe(2)
    await before
  })

  test('a failed call fails only for the requests that share it', async () => {
    await using store = await open([record(1)])
    let calls = 0
    const fold = shareFold(async (limit) => {
      if (++calls === 1) throw new Error('on purpose')
      return store.events.fold(limit)
    })
    expect((await failureOf(fold(100))).message).toBe('on purpose')
    expect((await fold(100)).length).toBe(1)
  })
})
