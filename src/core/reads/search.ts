import { type ErrorCode, ServiceError } from '../basics/errors.ts'
import { foldName } from '../basics/text/fold-name.ts'
import type { PassportV3 } from '../history/passport-state.ts'
import type { Catalog } from '../index/catalog.ts'
import { findPage } from '../index/find-list.ts'
import { equals } from '../lists/filter.ts'
import { type Passport, parsePassportKey } from '../passport/passport.ts'
import type { Store } from '../store/store.ts'

export const MOST_PEOPLE = 4

/** `unknown` are the texts that identify no passport, `alike` people similar to the only one. `top` has the highest scores if nobody was requested. */
export type FoundPeople = {
  people: PassportV3[]
  unknown: string[]
  omitted: number
  alike: Passport[]
  top: Passport[]
}

type Reader = { store: Store; catalog: Catalog }

/** Finds up to four passports by id, wallet or handle. */
export async function findPeople(
  reader: Reader,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<FoundPeople> {
  const people = new Map<number, PassportV3>()
  const unknown: string[] = []
  for (const text of texts.slice(0, MOST_PEOPLE)) {
    const key = parsePassportKey(text)
    const [found] = key ? await reader.store.passports.findByKeys([key], { credentials: true }) : []
    if (found && 'passport' in found) people.set(found.passport.id, found.passport)
    else unknown.push(text)
  }
  const [only, other] = [...people.values()]
  const isBegun = other !== undefined || unknown.length > 0
  const alike = isBegun || !only ? [] : await ifAvailable(() => findAlike(reader, only, signal))
  const top = isBegun || only ? [] : await listTop(reader, signal)
  const omitted = Math.max(0, texts.length - MOST_PEOPLE)
  return { people: [...people.values()], unknown, omitted, alike, top }
}

const MOST_ALIKE = 3

/** Finds the people with the first tag of a passport whose scores are the nearest, the highest score first. */
export async function findAlike(
  { catalog, store }: Reader,
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

const NOT_AVAILABLE: readonly ErrorCode[] = ['not_ready', 'unavailable', 'overloaded']

/** Returns nobody while the index is not available. */
async function ifAvailable(find: () => Promise<Passport[]>): Promise<Passport[]> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof ServiceError && NOT_AVAILABLE.includes(error.code)) return []
    throw error
  }
}

/** Lists the people with the highest scores. */
async function listTop(reader: Reader, signal: AbortSignal) {
  const request = { page: 1, size: MOST_PEOPLE + 1, keyword: undefined, signal }
  return (await findPage(reader, request, reader.store.passports.listByIds)).items
}
