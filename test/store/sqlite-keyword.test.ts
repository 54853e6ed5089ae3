import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { foldName } from '../../src/domain/name.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import type { Store } from '../../src/store/store.ts'
import { saveRecords } from '../support/engines.ts'
import { named } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

/** A few are many here: their names are indexed in memory, and may be behind the data for a while. */
const MANY = { small: 3 }

type Person = { id: number; name: string; score: number }

const save = (store: Store, people: readonly Person[]) =>
  saveRecords(
    store,
    people.map(({ id, name, score }) => named(id, name, score)),
  )

/** Asks until the answer is what it should be; in the end it must be. */
async function expectSoon(ask: () => Promise<unknown>, expected: unknown): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    if (Bun.deepEquals(await ask(), expected)) return
    await new Promise(setImmediate)
  }
  expect(await ask()).toEqual(expected)
}

async function allPages(store: Store, keyword: string, size: number) {
  const ids: number[] = []
  for (let page = 1; ; page++) {
    const { items, total } = await store.passports.list({ page, size, keyword })
    ids.push(...items.map(({ id }) => id))
    if (items.length === 0) return { ids, total }
  }
}

function expectedOf(people: Iterable<Person>, keyword: string) {
  const ids = [...people]
    .filter(({ name }) => foldName(name).includes(keyword))
    .sort((one, other) => other.score - one.score || one.id - other.id)
    .map(({ id }) => id)
  return { ids, total: ids.length }
}

test('keywords find what they should after any changes of names and scores', async () => {
  const names = fc.string({
    unit: fc.constantFrom('a', 'b', 'É', ' ', '%', '_', '🐉', '李', 'и', '1'),
    maxLength: 6,
  })
  const people = fc.array(
    fc.record({ id: fc.integer({ min: 1, max: 40 }), name: names, score: fc.integer({ min: 0, max: 4 }) }),
    { minLength: 5, maxLength: 40 },
  )
  const keywords = fc.array(fc.oneof(names, fc.constantFrom('a', 'b', 'ab', '1')), {
    minLength: 3,
    maxLength: 3,
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(people, keywords), { minLength: 2, maxLength: 3 }),
      async (changes) => {
        using folder = tempFolder()
        const store = openSqlite(join(folder.path, 'x.db'), MANY)
        const all = new Map<number, Person>()
        for (const [changed, words] of changes) {
          for (const person of changed) all.set(person.id, person)
          await save(store, changed)
          for (const keyword of words.map(foldName).filter((word) => word !== '')) {
            await expectSoon(() => allPages(store, keyword, 4), expectedOf(all.values(), keyword))
          }
        }
        await store.close()
      },
    ),
    { numRuns: 25 },
  )
})

test('names that another process changes are found soon, and old ones no more', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  const [one, other] = [openSqlite(path, MANY), openSqlite(path, MANY)]
  const people = Array.from({ length: 300 }, (_, id) => ({ id, name: `Ada ${id}`, score: id % 7 }))
  await save(one, people)
  await expectSoon(() => allPages(one, 'ada', 100), expectedOf(people, 'ada'))
  const changed = people.map((person) => (person.id % 3 ? person : { ...person, name: `Zoë ${person.id}` }))
  await save(other, changed)
  for (const keyword of ['ada', 'zoe', 'zoe 9']) {
    await expectSoon(() => allPages(one, keyword, 100), expectedOf(changed, keyword))
  }
  await other.passports.remove(9, 1)
  await other.passports.merge(12, 15)
  const left = changed.filter(({ id }) => id !== 9 && id !== 12)
  await expectSoon(() => allPages(one, 'zoe', 100), expectedOf(left, 'zoe'))
  await one.close()
  await other.close()
})

test('a store that becomes small again is never behind', async () => {
  using folder = tempFolder()
  const store = openSqlite(join(folder.path, 'x.db'), MANY)
  const people = Array.from({ length: 6 }, (_, id) => ({ id, name: `Ada ${id}`, score: id }))
  await save(store, people)
  await expectSoon(() => allPages(store, 'ada', 9), expectedOf(people, 'ada'))
  for (const { id } of people.slice(2)) await store.passports.remove(id, 1)
  await expectSoon(() => allPages(store, 'ada', 9), expectedOf(people.slice(0, 2), 'ada'))
  await save(store, [{ id: 1, name: 'Zoë', score: 1 }])
  await expectSoon(() => allPages(store, 'zoe', 9), { ids: [1], total: 1 })
  await save(store, [{ id: 1, name: 'Bob', score: 1 }])
  expect(await allPages(store, 'ada', 9)).toEqual({ ids: [0], total: 1 })
  expect(await allPages(store, 'bob', 9)).toEqual({ ids: [1], total: 1 })
  await store.close()
})

test('the order and the names are read from one index alone', () => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  openSqlite(path).close()
  const database = new Database(path)
  const [step] = database
    .query<{ detail: string }, []>(
      'explain query plan select id, score, display_name from passports where merged_into is null order by score desc, id',
    )
    .all()
  expect(step?.detail).toBe('SCAN passports USING COVERING INDEX passports_by_rank')
  database.close()
})

const SOME = Array.from({ length: 300 }, (_, id) => ({ id, name: `Ada ${id}`, score: id % 7 }))

test('a file that was left behind is not in the way of the names', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  writeFileSync(`${path}-names-${process.pid}`, '')
  const store = openSqlite(path, MANY)
  await save(store, SOME)
  store.passports.edition()
  await expectSoon(async () => openFilesOf(`${path}-names`) > 0, true)
  expect(await allPages(store, 'ada 7', 9)).toEqual(expectedOf(SOME, 'ada 7'))
  await store.close()
  expect(openFilesOf(`${path}-names`)).toBe(0)
})

test('where names cannot be kept that is told once, the order is not read again for it, and keywords are found', async () => {
  using folder = tempFolder()
  const told: string[] = []
  // The files that SQLite keeps beside it can still have a name, others cannot.
  const store = openSqlite(join(folder.path, 'x'.repeat(245)), {
    ...MANY,
    onNotice: (sentence) => told.push(sentence),
  })
  await save(store, SOME)
  await expectSoon(async () => {
    store.passports.edition()
    return told.length
  }, 1)
  expect(told[0]).toStartWith(
    'Keywords are searched for more slowly, as names cannot be kept beside the database: ',
  )
  const edition = store.passports.edition()
  for (let turn = 0; turn < 200; turn++) {
    await new Promise(setImmediate)
    expect(store.passports.edition()).toBe(edition)
  }
  expect(await allPages(store, 'ada 7', 9)).toEqual(expectedOf(SOME, 'ada 7'))
  expect(told).toHaveLength(1)
  await store.close()
})

/** How many files with such names this process has open. */
function openFilesOf(prefix: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(prefix)
    } catch {
      return false
    }
  }).length
}
