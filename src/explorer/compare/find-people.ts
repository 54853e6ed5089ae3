import { findPage } from '../../catalog/find-list.ts'
import { parseKeyword } from '../../domain/lists/list-request.ts'
import { type Passport, type PassportKey, parsePassportKey } from '../../domain/passport.ts'
import type { PassportV3 } from '../../domain/v3/passport.ts'
import { findMatches, isComplete } from '../search/find-matches.ts'
import type { ExplorerOptions } from '../site/explorer-page.ts'

export const MOST_PEOPLE = 4

/** The names of a comparison that are searched: each one is a search of all names. People usually add one name at a time. */
export const MOST_NAMES = 2

/** A text that identifies no passport, with the passports that it may mean. `isSearched`: names were searched, too. */
type Unknown = { text: string; candidates: readonly Passport[]; isSearched: boolean }

export type Found = { people: PassportV3[]; unknown: Unknown[]; omitted: number }

type Reader = Pick<ExplorerOptions, 'store' | 'catalog'>

/** `ids=1,2` and `ids=1&ids=2` are the same. Repeated and blank texts are left out. */
export function parseIds(query: URLSearchParams): string[] {
  const texts = query
    .getAll('ids')
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
  return [...new Set(texts)].filter((text) => text !== '')
}

/** Finds the first four passports by id, wallet, handle, or a name that only one passport has. */
export async function findPeople(
  reader: Reader,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Found> {
  const people = new Map<number, PassportV3>()
  const unknown: Unknown[] = []
  let names = 0
  const search = async (text: string) => (++names > MOST_NAMES ? undefined : findNamed(reader, text, signal))
  for (const text of texts.slice(0, MOST_PEOPLE)) {
    const found = await findPerson(reader, text, search)
    if ('candidates' in found) unknown.push(found)
    else people.set(found.id, found)
  }
  return { people: [...people.values()], unknown, omitted: Math.max(0, texts.length - MOST_PEOPLE) }
}

const MOST_CANDIDATES = 5
const LONGEST_TEXT = 250

/** `search` finds people by name; `undefined` if too many names were searched already. */
async function findPerson(
  reader: Reader,
  text: string,
  search: (text: string) => Promise<Passport[] | undefined>,
): Promise<PassportV3 | Unknown> {
  if (text.length > LONGEST_TEXT) return { text, candidates: [], isSearched: true }
  const key = parsePassportKey(text)
  const passport = key && (await readPassport(reader, key))
  if (passport) return passport
  const { matches } = await findMatches(reader.store, text)
  const complete = matches.filter(({ reason }) => isComplete(reason))
  // A complete wallet or handle of one passport needs no search by name.
  const named = complete.length === 1 ? [] : await search(text)
  const sure = complete.length > 0 ? complete.map((match) => match.passport) : (named ?? [])
  const [only] = sure.length === 1 && (complete.length > 0 || matches.length === 0) ? sure : []
  const person = only && (await readPassport(reader, { id: only.id }))
  if (person) return person
  const all = [...matches.map((match) => match.passport), ...(named ?? [])]
  const candidates = [...new Map(all.map((each) => [each.id, each])).values()].slice(0, MOST_CANDIDATES)
  return { text, candidates, isSearched: named !== undefined }
}

/** The people with the highest scores among those with a name. */
async function findNamed(reader: Reader, text: string, signal: AbortSignal): Promise<Passport[]> {
  const keyword = parseKeyword(text)
  if (keyword === undefined) return []
  const request = { page: 1, size: MOST_CANDIDATES, keyword, signal }
  return (await findPage(reader, request, reader.store.passports.listByIds)).items
}

async function readPassport({ store }: Reader, key: PassportKey): Promise<PassportV3 | undefined> {
  const [found] = await store.v3.find([key], { credentials: true })
  return found && 'passport' in found ? found.passport : undefined
}
