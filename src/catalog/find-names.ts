import { type ListQuery, type ListRequest, toWords, wordsOf } from '../domain/lists/list-request.ts'
import { foldName } from '../domain/text/fold-name.ts'
import { createSpelling } from '../domain/text/nearest-name.ts'
import type { Store } from '../store/store.ts'
import type { Catalog } from './catalog.ts'

type Reader = { catalog: Pick<Catalog, 'list'>; store: Pick<Store, 'passports'> }

/** Only the passports with the highest scores are compared, because their names are read from the store. */
const MOST_READ = 20

/** Counts the people who have all words of the keyword in their name, among the first ones whose names contain the words. */
export async function countNamed(
  { catalog, store }: Reader,
  query: ListQuery,
  signal: AbortSignal,
): Promise<number> {
  const { ids } = await catalog.list({ ...query, limit: MOST_READ, signal }, false)
  const people = await store.passports.listByIds(ids)
  const isNamed = (own: string[]) => wordsOf(query.keyword ?? '').every((word) => own.includes(word))
  return people.map(({ profile }) => wordsOfName(profile.displayName)).filter(isNamed).length
}

/**
 * Finds a name that the words may be a misspelling of, among the first passports that match the filter and whose name contains
 * the first half of each word. The same evaluation counts the passports of other lists.
 */
export async function findSimilarName(
  { catalog, store }: Reader,
  words: readonly string[],
  { filter, sort, counts }: Pick<ListRequest, 'filter' | 'sort' | 'counts'>,
  signal: AbortSignal,
) {
  const halves = words.map(foldName).map((word) => word.slice(0, Math.ceil(word.length / 2)))
  const limit = words.length === 0 ? 0 : MOST_READ
  const keyword = limit === 0 ? undefined : toWords(halves.join(' '))
  const found = await catalog.list({ keyword, filter, sort, counts, limit, signal }, false)
  const isLike = (name: string) => {
    const find = createSpelling(wordsOfName(name).map((phrase) => ({ phrase })))
    return words.every((word) => find(foldName(word)))
  }
  const people = await store.passports.listByIds(found.ids)
  const name = people.map(({ profile }) => profile.displayName).find(isLike)
  return { name, counts: found.counts ?? [] }
}

const wordsOfName = (name: string): string[] => foldName(name).split(/[^\p{L}\p{N}]+/u)
