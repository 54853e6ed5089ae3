import { expect, test } from 'bun:test'
import { loadIndex, saveIndex } from '../../../src/core/index/save.ts'
import { change, indexOf, list, people } from '../../support/index/people.ts'

const CURSOR = 'k3f9a2-918273:1763500000000 42'

/** Large enough for several chunks. */
const large = () =>
  indexOf(people(40_000, (id) => ({ name: `name ${id}`, tag: [`t${id % 100}`], score: id })))

test('a copy is saved in chunks of at most 1 MB, and lists can be evaluated between them', () => {
  const index = large()
  const before = list(index, { keyword: '99' })
  let chunks = 0
  for (const chunk of saveIndex(index, CURSOR)) {
    expect(chunk.length).toBeLessThanOrEqual(1_000_000)
    expect(list(index, { keyword: '99' })).toEqual(before)
    chunks++
  }
  expect(chunks).toBeGreaterThan(2)
})

test('a copy that is not complete or has another format is not loaded', async () => {
  const chunks = [...saveIndex(large(), CURSOR)]
  const copies = [
    [],
    chunks.slice(0, -1),
    chunks.slice(1),
    [new Uint8Array(3)],
    [new Uint8Array(100), ...chunks],
  ]
  for (const copy of copies) expect(await loadIndex(copy.values())).toBeUndefined()
  expect(await loadIndex(chunks.values())).toBeDefined()
})

test('an error of the store while chunks are read is not taken for damage', async () => {
  async function* fail() {
    yield* [...saveIndex(large(), CURSOR)].slice(0, 1)
    throw new Error('The database is closed.')
  }
  await expect(loadIndex(fail())).rejects.toThrow('The database is closed.')
})

test('a copy has no name, id or value of passports that were removed', () => {
  const index = indexOf(
    people(2000, (id) => ({
      name: id === 1234 ? 'rosalind' : 'ada',
      tag: ['common', ...(id === 1234 ? ['Secret'] : [])],
      points: [`${id === 1234 ? 98.76 : 1} git`],
      location: [id === 1234 ? 'hidden place' : 'lisbon'],
    })),
  )
  const save = () => Buffer.concat([...saveIndex(index, CURSOR)])
  const id = Buffer.from(Float64Array.of(1234).buffer)
  const texts = ['rosalind', 'secret', 'Secret', '98.76', 'hidden place', id]
  for (const text of texts) expect(save().includes(text)).toBe(true)
  change(index, [1234], [])
  for (const text of texts) expect(save().includes(text)).toBe(false)
  expect(save().includes('lisbon')).toBe(true)
})
