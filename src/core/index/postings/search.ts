import { foldName } from '../../basics/text/fold-name.ts'
import type { Filter } from '../../lists/filter.ts'
import { toWords } from '../../lists/list-request.ts'
import { findList, type ListPage, type ListRequest } from './find.ts'
import { findMatches } from './matches.ts'
import { findNearMisses } from './near-misses.ts'
import type { PassportIndex } from './passport-index.ts'
import { type Candidate, lookUpValues, type ReadText, readText } from './read-text.ts'

/** `known`: terms that are no values, by their folded phrase, such as those of levels. */
export type SearchRequest = Omit<ListRequest, 'keyword'> & {
  text: string
  known?: Readonly<Record<string, readonly Candidate['term'][]>>
}

/** If nobody matches, `instead` has lists that are not empty, with their sizes. */
export type SearchResult = { reading: ReadText; page: ListPage; instead: Instead | undefined }

type Instead = { name: number; chips: number; nearMisses: { name: string; count: number }[] }

/** Reads a search text and evaluates its list. */
export function search(index: PassportIndex, { text, known = {}, ...request }: SearchRequest): SearchResult {
  const reading = readText(text, (phrase) => [
    ...(Object.hasOwn(known, phrase) ? (known[phrase] ?? []) : []).map((term) => ({ term, count: 0 })),
    ...lookUpValues(index, phrase),
  ])
  const chips = [...request.filter, ...reading.chips.map(({ term }) => term)]
  const page = findList(index, { ...request, filter: chips, keyword: toKeyword(reading.name) })
  const instead = page.total === 0 ? findInstead(index, request.filter, chips, reading) : undefined
  return { reading, page, instead }
}

const toKeyword = (name: string): string | undefined => {
  const folded = foldName(name)
  return folded === '' ? undefined : toWords(folded)
}

function findInstead(
  index: PassportIndex,
  filter: Filter,
  chips: Filter,
  { name, chips: { length } }: ReadText,
): Instead {
  const count = (name: string, filter: Filter) =>
    findMatches(index, { filter, keyword: toKeyword(name) }).count
  const among = findMatches(index, { filter: chips })
  return {
    name: name === '' || length === 0 ? 0 : count(name, filter),
    chips: name === '' || length === 0 ? 0 : among.count,
    nearMisses: findNearMisses(index, foldName(name), among).map((similar) => ({
      name: similar,
      count: count(similar, chips),
    })),
  }
}
