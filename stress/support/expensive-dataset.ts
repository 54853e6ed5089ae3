import { join } from 'node:path'
import { foldName } from '../../src/core/basics/text/fold-name.ts'
import { openSqlite } from '../../src/core/store/database/sqlite/open.ts'
import { record } from '../../test/support/store/records.ts'

const REPETITIVE = [
  'abc'.repeat(333),
  'a'.repeat(1000),
  `${'a'.repeat(150)}b`.repeat(6),
  'é李'.repeat(500),
  'x y '.repeat(250),
]
const COUNT = 600
const BATCH = 50

/** One person in four has a repetitive name. One in three takes about 70 KB, which makes a page of 250 large. */
const PEOPLE = Array.from({ length: COUNT }, (_, at) =>
  record(at + 1, {
    scores: { total: COUNT - at },
    profile: {
      displayName:
        at % 4 === 0 ? `${REPETITIVE[(at / 4) % REPETITIVE.length]}`.slice(0, 995) + at : `Person ${at}`,
      tags: at % 3 === 0 ? Array.from({ length: 7 }, (_, tag) => `${at} ${tag} `.repeat(1500)) : ['tag'],
    },
  }),
)

const FOLDED = PEOPLE.map(({ profile }) => foldName(profile.displayName))

/** Creates a database in the folder and returns its path. */
export async function savePeople(folder: string): Promise<string> {
  const path = join(folder, 'people.db')
  const store = await openSqlite(path)
  for (let at = 0; at < COUNT; at += BATCH) {
    const records = PEOPLE.slice(at, at + BATCH).map((passport) => ({ kind: 'passport' as const, passport }))
    await store.records.save(records, { now: 0, restore: false })
  }
  await store.database.close()
  return path
}

export const nameOf = (id: number): string => PEOPLE[id - 1]?.profile.displayName ?? ''

export const anyId = (): number => 1 + Math.floor(Math.random() * COUNT)

/** The ids on a page of the list, and the total. */
export function expectedPage(page: number, size: number, keyword?: string) {
  const folded = foldName(keyword ?? '')
  const ids = PEOPLE.filter((_, at) => FOLDED[at]?.includes(folded)).map(({ id }) => id)
  return { ids: ids.slice((page - 1) * size, page * size), total: ids.length }
}

/** Returns up to 200 characters of a repetitive name. Half of the keywords end with a digit. */
export function anyLongKeyword(): string {
  const name = [...(REPETITIVE[Math.floor(Math.random() * REPETITIVE.length)] as string)]
  const from = Math.floor(Math.random() * 300)
  const part = name.slice(from, from + 20 + Math.floor(Math.random() * 178)).join('')
  return Math.random() < 0.5 ? part : `${part}${Math.floor(Math.random() * 10)}`
}
