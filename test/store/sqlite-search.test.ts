import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { ClientGone } from '../../src/domain/errors.ts'
import { foldName } from '../../src/domain/name.ts'
import { toOrder } from '../../src/store/order.ts'
import { matchName } from '../../src/store/sqlite/names.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import { createSearch } from '../../src/store/sqlite/search.ts'
import { createTurns, type Steps } from '../../src/store/turns.ts'
import { saveRecords } from '../support/engines.ts'
import { named } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

/** A search in the database's index of names with the ids 1, 2 and so on, whose steps are counted. */
async function search(names: readonly string[]) {
  const folder = tempFolder()
  const path = join(folder.path, 'x.db')
  const store = openSqlite(path)
  await saveRecords(
    store,
    names.map((name, at) => named(at + 1, name)),
  )
  const turns = createTurns()
  const count = { searches: 0, steps: 0 }
  function* counted<T>(steps: Steps<T>): Steps<T> {
    count.searches++
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      count.steps++
      yield
    }
  }
  const { page, close } = createSearch(new Database(path, { readonly: true }), {
    turns: { ...turns, run: (steps, isGone) => turns.run(counted(steps), isGone) },
    small: 10_000,
    onNotice: () => undefined,
  })
  const order = toOrder(
    Uint32Array.from(names, (_, at) => at + 1),
    { scores: [], counts: [] },
  )
  return {
    count,
    find: (keyword: string, isGone?: () => boolean) => page(keyword, order, 0, names.length, isGone),
    async [Symbol.asyncDispose]() {
      close()
      await store.close()
      folder[Symbol.dispose]()
    },
  }
}

const REPETITIVE = ['abc'.repeat(333), 'a'.repeat(1000), `${'a'.repeat(150)}b`.repeat(6), 'Ada Lovelace']

test('a search pauses after each name, however long it takes to look at', async () => {
  const names = Array.from({ length: 40 }, () => 'abc'.repeat(333))
  await using searching = await search(names)
  expect((await searching.find('abc'.repeat(66))).total).toBe(40)
  expect(searching.count.steps).toBe(40)
})

test('of a long keyword the index is asked for a few runs of letters, wherever they stand', () => {
  expect(matchName('a'.repeat(200)).query).toBe('"aaa"')
  expect(matchName('ab'.repeat(100)).query).toBe('"aba" AND "bab"')
  expect(matchName('abcdefghijklmnopqrst'.repeat(10)).query.split(' AND ').length).toBe(5)
})

test('long keywords are found where they are, and nowhere else', async () => {
  await using searching = await search(REPETITIVE)
  const part = fc
    .tuple(fc.nat(3), fc.nat(999), fc.integer({ min: 1, max: 200 }))
    .map(([name, from, length]) => {
      const text = foldName(REPETITIVE[name] as string)
      return text.slice(from % text.length, (from % text.length) + length)
    })
  const keywords = fc.tuple(part, part).chain(([one, other]) => fc.constantFrom(one, `${one}${other}`))
  await fc.assert(
    fc.asyncProperty(keywords, async (text) => {
      const keyword = foldName(text)
      fc.pre(keyword !== '')
      const ids = REPETITIVE.flatMap((name, at) => (foldName(name).includes(keyword) ? [at + 1] : []))
      expect(await searching.find(keyword)).toEqual({ ids, total: ids.length })
    }),
    { numRuns: 200 },
  )
})

test('a keyword that many ask for at the same moment is searched for once', async () => {
  await using searching = await search(REPETITIVE)
  const found = await Promise.all(Array.from({ length: 20 }, () => searching.find('lovelace')))
  expect(found).toEqual(found.map(() => ({ ids: [4], total: 1 })))
  expect(searching.count.searches).toBe(1)
})

test('a search goes on while one of those who asked is there, and does not begin for those who are gone', async () => {
  await using searching = await search(REPETITIVE)
  const gone = () => true
  const [left, stayed, others] = [
    searching.find('aaaa', gone),
    searching.find('aaaa'),
    Array.from({ length: 20 }, (_, at) => searching.find(`${'a'.repeat(99)}${at}`, gone)),
  ]
  const ended = await Promise.allSettled(others)
  expect(ended.every((each) => each.status === 'rejected' && each.reason instanceof ClientGone)).toBe(true)
  expect((await stayed).total).toBe(2)
  expect((await left).total).toBe(2)
  expect(searching.count.searches).toBe(1)
  // Who comes after them is not taken for one of them.
  expect((await searching.find(`${'a'.repeat(99)}1`)).total).toBe(0)
})
