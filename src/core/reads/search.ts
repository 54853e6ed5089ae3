import { type ErrorCode, ServiceError } from '../basics/errors.ts'
import { foldName } from '../basics/text/fold-name.ts'
import type { PassportV3 } from '../history/passport-state.ts'
import type { Catalog } from '../index/catalog.ts'
import { findPage } from '../index/find-list.ts'
import { findMatches, isComplete } from '../index/find-matches.ts'
import { findSimilarName } from '../index/find-names.ts'
import { equals } from '../lists/filter.ts'
import { parseKeyword, toWords } from '../lists/list-request.ts'
import { type Passport, type PassportKey, parsePassportKey } from '../passport/passport.ts'
import type { Store } from '../store/store.ts'

export const MOST_PEOPLE = 4

/** Further names are not searched, because each search reads all names. People usually add one name at a time. */
export const MOST_NAMES = 2

/** A text that identifies no passport, and candidates for it. `isSearched` is false if `MOST_NAMES` was exceeded. */
type Unknown = { text: string; candidates: readonly Passport[]; isSearched: boolean }

/** `alike` are people similar to the only one. `top` has the highest scores if nobody was requested. */
export type FoundPeople = {
  people: PassportV3[]
  unknown: Unknown[]
  omitted: number
  alike: Passport[]
  top: Passport[]
}

type Reader = { store: Store; catalog: Catalog }
type Search = (text: string) => Promise<Passport[] | undefined>

/**
 * Finds up to four passports by id, wallet, handle, or a name that only one passport has. The first name that nobody has gets
 * people with a similar name as candidates.
 */
export async function findPeople(
  reader: Reader,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<FoundPeople> {
  const people = new Map<number, PassportV3>()
  const unknown: Unknown[] = []
  let names = 0
  const search = async (text: string) => (++names > MOST_NAMES ? undefined : findNamed(reader, text, signal))
  for (const text of texts.slice(0, MOST_PEOPLE)) {
    const found = await findPerson(reader, text, search)
    if ('candidates' in found) unknown.push(found)
    else people.set(found.id, found)
  }
  // Ids and wallets begin with a digit.
  const misspelt = unknown.find(({ text, candidates }) => candidates.length === 0 && !/^\d/.test(text))
  if (misspelt?.isSearched)
    misspelt.candidates = await ifAvailable(() => findSimilar(reader, misspelt.text, signal))
  const [only, other] = [...people.values()]
  const isBegun = other !== undefined || unknown.length > 0
  const alike = isBegun || !only ? [] : await ifAvailable(() => findAlike(reader, only, signal))
  const top = isBegun || only ? [] : await listRanked(reader, undefined, signal)
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

const MOST_CANDIDATES = 5
const LONGEST_TEXT = 250

/** `search` finds people by name. It returns `undefined` if too many names were searched already. */
async function findPerson(reader: Reader, text: string, search: Search): Promise<PassportV3 | Unknown> {
  if (text.length > LONGEST_TEXT) return { text, candidates: [], isSearched: true }
  const key = parsePassportKey(text)
  const passport = key && (await readPassport(reader, key))
  if (passport) return passport
  const { matches } = await findMatches(reader.store, text)
  const complete = matches.filter(({ reason }) => isComplete(reason))
  // No search by name if the text is a complete wallet or handle of only one passport.
  const named = complete.length === 1 ? [] : await search(text)
  const sure = complete.length > 0 ? complete.map((match) => match.passport) : (named ?? [])
  const [only] = sure.length === 1 && (complete.length > 0 || matches.length === 0) ? sure : []
  const person = only && (await readPassport(reader, { id: only.id }))
  if (person) return person
  const all = [...matches.map((match) => match.passport), ...(named ?? [])]
  const byScore = all.toSorted((one, other) => other.scores.total - one.scores.total)
  const candidates = [...new Map(byScore.map((each) => [each.id, each])).values()].slice(0, MOST_CANDIDATES)
  return { text, candidates, isSearched: named !== undefined }
}

async function findNamed(reader: Reader, text: string, signal: AbortSignal): Promise<Passport[]> {
  const keyword = parseKeyword(text)
  return keyword === undefined ? [] : listRanked(reader, keyword, signal)
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

async function findSimilar(reader: Reader, text: string, signal: AbortSignal): Promise<Passport[]> {
  const list = { filter: [], sort: { field: 'score', descending: true } } as const
  const { name } = await findSimilarName(reader, text.slice(0, LONGEST_TEXT).split(/\s+/), list, signal)
  return name === undefined ? [] : listRanked(reader, toWords(foldName(name)), signal)
}

/** Lists people, or those whose name has the keyword, the highest scores first. */
async function listRanked(reader: Reader, keyword: string | undefined, signal: AbortSignal) {
  const request = { page: 1, size: MOST_CANDIDATES, keyword, signal }
  return (await findPage(reader, request, reader.store.passports.listByIds)).items
}

async function readPassport({ store }: Reader, key: PassportKey): Promise<PassportV3 | undefined> {
  const [found] = await store.v3.find([key], { credentials: true })
  return found && 'passport' in found ? found.passport : undefined
}
