import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createSearcher, type Matches, searchNames } from '../../../src/core/index/search.ts'
import { HOSTILE_NAMES } from '../../support/explorer/hostile-names.ts'
import { foldName } from '../../support/program/text.ts'
import { catalogOf, snapshotOf } from '../../support/store/catalog.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { NOON, named } from '../../support/store/records.ts'

type Person = { id: number; name: string; score: number }

const fold = (people: readonly Person[]) =>
  people.map((person) => ({ ...person, name: foldName(person.name) }))

const toPeople = (names: readonly string[]): Person[] => names.map((name, id) => ({ id, name, score: 0 }))

const filter = (people: Iterable<Person>, keyword: string) =>
  [...people]
    .filter(({ name }) => foldName(name).includes(keyword))
    .sort((one, other) => other.score - one.score || one.id - other.id)
    .map(({ id }) => id)

const idsOf = ({ snapshot, ranks }: Matches) =>
  Array.from(ranks ?? [], (rank) => snapshot.ids[rank] as number)

/** Letters of many scripts, emoji, quotes, white space, and wildcards of SQL and search languages. */
const CHARACTERS = [...'abÉßıИи李雷かがกำநிשָםمُح한1.%_*?"\'\\[]()^$| \t\n']
const EMOJI = ['🐉', '👩\u200d👩\u200d👧', '🇩🇰', '\ue020', '\u0301', '\u2028', '\u00a0']
const text = (maxLength: number) => fc.string({ unit: fc.constantFrom(...CHARACTERS, ...EMOJI), maxLength })

const keywordFor = (names: readonly string[]) => {
  const part = fc
    .tuple(fc.constantFrom(...names), fc.nat(), fc.integer({ min: 1, max: 6 }))
    .map(([name, at, length]) =>
      [...name]
        .slice(at % (name.length + 1))
        .slice(0, length)
        .join(''),
    )
  return fc.oneof(text(3), part).map(foldName)
}

test('a search finds the same passports as a scan of all names', async () => {
  const cases = fc
    .array(text(12), { minLength: 1, maxLength: 40 })
    .chain((names) =>
      fc.tuple(fc.constant(names), fc.array(keywordFor(names), { minLength: 5, maxLength: 5 })),
    )
  await fc.assert(
    fc.asyncProperty(cases, async ([names, keywords]) => {
      const snapshot = await snapshotOf(fold(toPeople(names)))
      for (const keyword of keywords.filter((keyword) => keyword !== '')) {
        expect([...searchNames(snapshot, keyword)]).toEqual(filter(toPeople(names), keyword))
      }
    }),
    { numRuns: 80 },
  )
})

test('a search finds keywords in names of any length and content', async () => {
  const names = [...HOSTILE_NAMES.map((name) => name.toWellFormed()), 'abc'.repeat(333), 'a'.repeat(1000)]
  const snapshot = await snapshotOf(fold(toPeople(names)))
  const keywords = names.map(foldName).flatMap((name) => [name, name.slice(1, 200), name.slice(-3)])
  for (const keyword of keywords.filter((keyword) => keyword.isWellFormed() && keyword !== '')) {
    expect([...searchNames(snapshot, keyword)]).toEqual(filter(toPeople(names), keyword))
  }
  expect([...searchNames(snapshot, 'nobody has this')]).toEqual([])
  expect(searchNames(snapshot, '').length).toBe(snapshot.ids.length)
})

test('repeated searches give the same results, and a new snapshot is searched again', async () => {
  const people = Array.from({ length: 5000 }, (_, at) => ({
    id: at * 7919 + 2 ** 40,
    name: at % 3 === 0 ? `Ada ${at}` : `Bob ${at}`,
    score: at % 50,
  }))
  const search = createSearcher()
  for (const listed of [people, people.slice(1)]) {
    const snapshot = await snapshotOf(fold(listed))
    for (const keyword of ['a', 'b', 'a', 'a', 'b'])
      expect(idsOf(search(snapshot, keyword))).toEqual(filter(listed, keyword))
  }
})

onEveryEngine('a search', (open) => {
  test('a search finds no merged or removed passports, and finds no passport by its old name', async () => {
    await using store = await open([1, 2, 3, 4].map((id) => named(id, `Zoë ${id}`, id)))
    const { find } = catalogOf(store)
    const ids = async () => idsOf(await find({ keyword: 'zoe' }))
    expect(await ids()).toEqual([4, 3, 2, 1])
    await store.passports.merge(4, 1)
    expect(await ids()).toEqual([3, 2, 1])
    await store.passports.unmerge(4)
    await store.passports.remove(3, NOON)
    await saveRecords(store, [named(2, 'Bob', 2)])
    expect(await ids()).toEqual([4, 1])
  })
})
