import { describe, expect, test } from 'bun:test'
import { readdirSync, readlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { foldName } from '../../../src/domain/name.ts'
import { createHiddenFile } from '../../../src/store/name-index/hidden-file.ts'
import { findNames } from '../../../src/store/name-index/matching.ts'
import { indexNames, type NameIndex } from '../../../src/store/name-index/name-index.ts'
import { createNameText, type NameText } from '../../../src/store/name-index/text.ts'
import { toOrder } from '../../../src/store/order.ts'
import type { Steps } from '../../../src/store/turns.ts'
import { HOSTILE_NAMES } from '../../support/hostile-names.ts'
import { tempFolder } from '../../support/temp.ts'

function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The passports have the ids 1000, 1001 and so on, in the order of their names. */
function index(
  names: readonly string[],
  { memoryBytes, inForce }: { memoryBytes?: number; inForce?: NameIndex } = {},
) {
  using folder = tempFolder()
  const text = createNameText(join(folder.path, 'names'), memoryBytes)
  for (const name of names) text.add(name)
  const ids = Uint32Array.from(names, (_, at) => 1000 + at)
  return finish(indexNames(toOrder(ids, { scores: [], counts: [] }), text.end(), inForce))
}

function expectSame(found: NameIndex, names: readonly string[], keyword: string, size: number): void {
  const expected = names.flatMap((name, at) => (foldName(name).includes(keyword) ? [1000 + at] : []))
  for (let offset = 0; offset <= expected.length + size; offset += size) {
    expect(finish(found.page(keyword, offset, size))).toEqual({
      ids: expected.slice(offset, offset + size),
      total: expected.length,
    })
  }
}

const LETTERS = ['a', 'b', 'n', 'É', ' ', '%', '_', '🐉', '李', 'и', 'ß', '.', '1', 'ﷺ', '\u0301', 'が']
const texts = (maxLength: number, minLength = 0) =>
  fc.string({ unit: fc.constantFrom(...LETTERS), minLength, maxLength })

/** Names that are drawn from a few, so that parts of them are frequent. */
const manyNames = fc
  .tuple(fc.array(texts(8), { minLength: 1, maxLength: 12 }), fc.array(fc.nat(), { maxLength: 400 }))
  .map(([few, draws]) => draws.map((draw, at) => `${few[draw % few.length]}${draw % 3 ? '' : at}`))

const keywordsOf = (names: readonly string[], given: readonly string[], cuts: readonly number[]) => {
  const parts = cuts.map((cut) => {
    const name = [...foldName(names[cut % Math.max(1, names.length)] ?? '')]
    return name.slice(cut % (name.length + 1), (cut % (name.length + 1)) + 1 + (cut % 7)).join('')
  })
  return [...given, ...parts].map(foldName).filter((keyword) => keyword !== '')
}

function countSteps(steps: Steps<unknown>): number {
  let count = 0
  while (!steps.next().done) count++
  return count
}

describe('the index of names', () => {
  // Keywords longer than what is counted ahead, all of whose runs are in every row.
  test('looks at no more than some bytes before a pause', () => {
    const names = Array.from({ length: 480 }, (_, at) => `${'ab'.repeat(450)}${at % 7}`)
    expect(countSteps(index(names).page(`${'ab'.repeat(90)}3`, 0, 10))).toBeGreaterThan(0)
  })

  test('counts a keyword once for those who ask for it at the same moment', () => {
    const name = (at: number) => `${'ab'.repeat(33)}${at % 7}`
    const found = index(Array.from({ length: 8192 }, (_, at) => name(at)))
    const alone = countSteps(found.page(name(3), 0, 10))
    const first = found.page(name(4), 0, 10)
    for (let step = 1; step < alone; step++) first.next()
    expect(countSteps(found.page(name(4), 10, 10))).toBeLessThan(alone - 1)
  })

  test('finds what a plain look at every name finds, page by page', () => {
    fc.assert(
      fc.property(
        manyNames,
        fc.array(texts(5, 1), { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.constantFrom(10_000, 0, 500),
        (names, given, cuts, memoryBytes) => {
          const found = index(names, { memoryBytes })
          for (const keyword of keywordsOf(names, given, cuts)) expectSame(found, names, keyword, 7)
        },
      ),
      { numRuns: 150 },
    )
  })

  test('finds frequent and rare parts among many names', () => {
    const names = Array.from(
      { length: 9000 },
      (_, at) => `Person ${at % 90 === 0 ? 'Zoë' : 'Ada'} ${at * 7919}`,
    )
    const found = index(names)
    for (const keyword of [
      'a',
      'person',
      'person ada',
      'zoe',
      'zoe 7',
      '7919',
      '79190',
      'xyz',
      'nope',
      'oe 712710',
    ]) {
      expectSame(found, names, keyword, 500)
    }
  })

  test('finds what is in names of any length', () => {
    const names = [...HOSTILE_NAMES, ...Array.from({ length: 100 }, () => 'a'.repeat(3000))]
    const found = index(names)
    for (const keyword of ['a', 'aa', 'a'.repeat(63), 'a'.repeat(65), 'a'.repeat(200), 'w w', 'o', '7*7']) {
      expectSame(found, names, keyword, 50)
    }
  })

  test('pages can be asked for in any order, also of two at a time', () => {
    const names = Array.from({ length: 5000 }, (_, at) => (at % 2 ? `Ada ${at}` : `Bob ${at}`))
    const found = index(names)
    const expected = names.flatMap((name, at) => (name.startsWith('Ada') ? [1000 + at] : []))
    const [late, early] = [found.page('ada', 2400, 25), found.page('ada', 100, 25)]
    late.next()
    expect(finish(early).ids).toEqual(expected.slice(100, 125))
    expect(finish(late).ids).toEqual(expected.slice(2400, 2425))
    expect(finish(found.page('ada', 1000, 25)).ids).toEqual(expected.slice(1000, 1025))
  })

  test('the character 0 is in no name and in no keyword', () => {
    const found = index(['a\0b', 'ab', 'b'])
    expect(finish(found.page('a\ufffdb', 0, 9))).toEqual({ ids: [1000], total: 1 })
    expect(finish(found.page('\0', 0, 9))).toEqual({ ids: [], total: 0 })
    expect(finish(found.page('ab\0b', 0, 9))).toEqual({ ids: [], total: 0 })
  })

  test('stays right while and after the next one takes over what it can', () => {
    const names = Array.from({ length: 3000 }, (_, at) => `Ada ${at}`)
    const old = index(names)
    const same = index(names.toReversed(), { inForce: old })
    expect(same.runs).toBe(old.runs)
    const other = index([...names, 'Ada'], { inForce: same })
    expect(other.runs).not.toBe(old.runs)
    for (const found of [old, other])
      expectSame(found, found === old ? names : [...names, 'Ada'], 'ada 29', 40)
    expectSame(same, names.toReversed(), '7', 900)
  })

  test('has a filter of limited size, however many names there are', () => {
    const block = Buffer.from('ada\0'.repeat(64))
    using folder = tempFolder()
    const createFile = () => createHiddenFile(join(folder.path, 'filter'))
    const text: NameText = {
      length: 200_000,
      block: () => block,
      names: '',
      createFile,
      close: () => undefined,
    }
    const steps = indexNames(toOrder(new Uint32Array(0), { scores: [], counts: [] }), text)
    expect(finish(steps).filter.groups).toBeLessThanOrEqual(1024)
  }, 30_000)

  test('files that are cut short are noticed, and no search of them goes on for ever', () => {
    const names = Array.from({ length: 3000 }, (_, at) => `Ada ${at}`)
    expect(findNames(Buffer.from('ada'), Buffer.from('ad'))).toEqual([0])
    const found = index(names, { memoryBytes: 0 })
    for (const path of hiddenFiles()) truncateSync(path, 100)
    expect(() => finish(found.page('ada', 0, 10))).toThrow('bytes that were written')
    found.close()
  })

  test('its files are closed when it is, but not before the last search has ended', () => {
    const names = Array.from({ length: 3000 }, (_, at) => `Ada ${at}`)
    const before = hiddenFiles().length
    const found = index(names, { memoryBytes: 0 })
    expect(hiddenFiles()).toHaveLength(before + 2)
    const late = found.page('ada 2999', 0, 10)
    found.close()
    expect(finish(late)).toEqual({ ids: [3999], total: 1 })
    expect(hiddenFiles()).toHaveLength(before)
  })

  test('a search whose caller is gone before its first step does not keep them open', () => {
    const before = hiddenFiles().length
    const found = index(['Ada', 'Grace'], { memoryBytes: 0 })
    const left = found.page('ada', 0, 10)
    found.close()
    left.return({ ids: [], total: 0 })
    expect(hiddenFiles()).toHaveLength(before)
  })
})

/** Those that this process has open. */
function hiddenFiles(): string[] {
  return readdirSync('/proc/self/fd')
    .map((fd) => `/proc/self/fd/${fd}`)
    .filter((path) => linkOf(path).includes('/names-'))
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
