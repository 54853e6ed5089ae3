import { foldName } from '../basics/text/fold-name.ts'
import type { Catalog } from '../index/catalog.ts'
import { equals } from '../lists/filter.ts'
import type { Passport } from '../passport/passport.ts'
import type { Store } from '../store/store.ts'

const MOST_ALIKE = 3

/** Finds the people with the first tag of a passport whose scores are the nearest, the highest score first. */
export async function findAlike(
  { catalog, store }: { catalog: Catalog; store: Store },
  { id, scores, profile }: Pick<Passport, 'id' | 'scores' | 'profile'>,
  signal: AbortSignal,
): Promise<Passport[]> {
  const tag = foldName(profile.tags[0] ?? '')
  if (tag === '') return []
  const list = { filter: [equals('tag', tag)], after: { value: scores.total, id }, limit: MOST_ALIKE, signal }
  const ids = [true, false].map(async (descending) => {
    const found = await catalog.list({ ...list, sort: { field: 'score', descending } }, false)
    return found.ids
  })
  // The index may have an earlier score of the passport itself.
  const others = (await Promise.all(ids)).flat().filter((other) => other !== id)
  const people = await store.passports.listByIds(others)
  const distanceOf = (other: Passport) => Math.abs(other.scores.total - scores.total)
  const nearest = people.sort((one, other) => distanceOf(one) - distanceOf(other)).slice(0, MOST_ALIKE)
  return nearest.sort((one, other) => other.scores.total - one.scores.total)
}
