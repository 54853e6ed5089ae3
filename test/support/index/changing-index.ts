import { createPassportIndex, type PassportIndex } from '../../../src/core/index/passport-index.ts'
import { replacePassports } from '../../../src/core/index/replace.ts'
import { loadIndex, saveIndex } from '../../../src/core/index/save.ts'
import type { Random } from '../random.ts'
import { type Facets, toRow } from './facets.ts'
import { inventPerson } from './random-people.ts'

const PEOPLE = 2500
const HIGHEST_ID = 4000
const MOST_CHANGES = 400

/** The ids and the people of a change. The ids include those of people who are gone. */
export type Change = { ids: number[]; added: Facets[] }

/** An index and the people in it. Each round changes many of them, and every other round saves and loads the index. */
export async function* changeIndex(
  random: Random,
  rounds: number,
): AsyncGenerator<{ index: PassportIndex; people: Facets[]; change: Change }> {
  const people = new Map<number, Facets>()
  let index = createPassportIndex()
  for (let round = 0; round < rounds; round++) {
    const length = round === 0 ? PEOPLE : random.whole(1, MOST_CHANGES)
    const ids = [...new Set(Array.from({ length }, () => random.whole(1, HIGHEST_ID)))]
    const added = ids.filter(() => round === 0 || random.chance(0.6)).map((id) => inventPerson(random, id))
    for (const id of ids) people.delete(id)
    for (const person of added) people.set(person.id, person)
    replacePassports(index, ids, added.map(toRow))
    if (round % 2 === 1) index = await saveAndLoad(index)
    yield { index, people: [...people.values()], change: { ids, added } }
  }
}

export async function saveAndLoad(index: PassportIndex): Promise<PassportIndex> {
  const loaded = await loadIndex(saveIndex(index, 'a-1'))
  if (!loaded) throw new Error('The saved index could not be loaded.')
  return loaded.index
}
