import { countWhile } from '../basics/sorted.ts'
import { foldName } from '../basics/text/fold-name.ts'
import { equals, type Filter } from '../lists/filter.ts'
import { type GroupField, keywordParts, type Position, toWords } from '../lists/list-request.ts'
import { type Candidate, type ReadText, readText } from '../lists/read-text.ts'
import {
  countGroups,
  findList,
  findMatches,
  type ListPage,
  type ListRequest,
  topPoints,
  type ValueGroup,
} from './find.ts'
import { findNearMisses, nameAt, splitName } from './names.ts'
import { createComparison, findDistribution, findSlot, orderOf } from './order.ts'
import type { PassportIndex } from './passport-index.ts'
import { countIn, includes, type Posting, toBits } from './posting.ts'

/**
 * `known`: terms that are no values, by their folded phrase, such as those of levels. `ids`: passports that were
 * found otherwise, such as by a handle.
 */
export type SearchRequest = Omit<ListRequest, 'keyword' | 'after'> & {
  text: string
  known?: ReadonlyMap<string, readonly Filter[]> | undefined
  ids?: readonly number[]
}

/** Reads a search text and evaluates its list. */
export function search(index: PassportIndex, request: SearchRequest) {
  const { text, known, ids = [], ...list } = request
  const reading = readText(text, (phrase) => [
    ...(known?.get(phrase) ?? []).map((terms) => ({ terms, count: 0 })),
    ...lookUpValues(index, phrase),
  ])
  const filter = [...request.filter, ...reading.chips.map(({ term }) => term)]
  const keyword = toKeyword(reading.name)
  const page = findSorted(index, { ...list, filter, keyword })
  const among = findMatches(index, { filter })
  const types = [list.sort.pointsFor ?? [], ...filter.map(typesOf)].flat()
  return {
    reading,
    page,
    distribution: findDistribution(index),
    /** Those of `ids` that match the filter and the chips. */
    matching: ids.filter((id) => includes(among, findSlot(index, id) ?? -1)),
    /** How values of the filter and the chips are written, if not the same, by field and folded value: "tag zk". */
    labels: Object.fromEntries(filter.flatMap((term) => labelsOf(index, term))),
    /** For each type of credential that the list names, the points of the passports of the page. */
    points: Object.fromEntries(types.map((type) => [type, page.ids.map((id) => topPoints(index, id, type))])),
    /** Values that begin with the name. */
    suggestions: keyword === undefined ? [] : suggest(index, among, foldName(reading.name)),
    /** If nobody matches, lists that are not empty, with their sizes. */
    instead: page.total === 0 ? findInstead(index, request.filter, among, reading) : undefined,
  }
}

const LOOKED_UP = ['tag', 'location', 'type'] as const

/** The tags, places and credentials with this text, and how many people have them. */
const lookUpValues = (index: PassportIndex, phrase: string): Candidate[] =>
  LOOKED_UP.flatMap((field) => {
    const posting = index.values[field].get(phrase)
    const count = posting ? countIn(index.alive, posting) : 0
    return count === 0 ? [] : [{ terms: [equals(field, phrase)], count }]
  })

const toKeyword = (name: string) => (foldName(name) === '' ? undefined : toWords(foldName(name)))

/** At most this many matches of a name are sorted by it. */
const MOST_SORTED = 200

/** Names with words that begin with the words of the text come first: "Ada" before "Meadow" for "ad". */
function findSorted(index: PassportIndex, request: ListRequest): ListPage {
  const { keyword, sort, offset = 0, limit } = request
  const page = findList(index, request)
  const isSorted = keyword !== undefined && sort.field === 'score' && sort.pointsFor === undefined
  if (!isSorted || page.total > MOST_SORTED) return page
  const { ids, ranking } = findList(index, { ...request, groups: undefined, offset: 0, limit: MOST_SORTED })
  const words = keywordParts(keyword)
  const people = ids.map((id, at) => {
    const parts = splitName(nameAt(index.names, findSlot(index, id) as number))
    const isFirst = words.every((word) => parts.some((part) => part.startsWith(word)))
    return { id, rank: ranking?.ofPage[at] as number, isFirst }
  })
  const sorted = people.sort((a, b) => Number(b.isFirst) - Number(a.isFirst)).slice(offset, offset + limit)
  const ofPage = sorted.map(({ rank }) => rank)
  return { ...page, ids: sorted.map(({ id }) => id), ranking: page.ranking && { ...page.ranking, ofPage } }
}

type Term = Filter[number]

const typesOf = ({ field, conditions }: Term): string[] =>
  conditions.flatMap(({ not, value, type }) => (not ? [] : field === 'type' ? String(value) : (type ?? [])))

const labelsOf = ({ values }: PassportIndex, { field, conditions }: Term): [string, string][] =>
  conditions.flatMap(({ value }) => {
    const label = values[field as GroupField]?.get(String(value))?.label
    return label === undefined ? [] : [[`${field} ${value}`, label]]
  })

const MOST_SUGGESTIONS = 3

const suggest = (index: PassportIndex, among: Posting, prefix: string): ValueGroup[] =>
  LOOKED_UP.flatMap((field) => countGroups(index, among, { field, prefix }).groups.slice(0, MOST_SUGGESTIONS))

/** `filter` has no chips; `among` are the passports with all of them. */
function findInstead(index: PassportIndex, filter: Filter, among: Posting, reading: ReadText) {
  const { name, chips } = reading
  const isBoth = name !== '' && chips.length > 0
  const count = (name: string, filter: Filter) =>
    findMatches(index, { filter, keyword: toKeyword(name) }).count
  const terms = [...filter, ...chips.map(({ term }) => term)]
  const similar = findNearMisses(index.names, foldName(name), toBits(among, index.count))
  return {
    name: isBoth ? count(name, filter) : 0,
    chips: isBoth ? among.count : 0,
    nearMisses: similar.map((name) => ({ name, count: count(name, terms) })),
  }
}

export type Place = { position: Position; tag: string; most: number }

/** The number of passports before a position of the ranking, and those next to it with a tag, on both sides. */
export function findNeighbours(index: PassportIndex, { position, tag, most }: Place) {
  const { slots } = orderOf(index, 'score')
  const { compareWith } = createComparison(index, 'score')
  const list = (descending: boolean) => {
    const sort = { field: 'score' as const, descending }
    return findList(index, { filter: [equals('tag', tag)], sort, after: position, limit: most }).ids
  }
  return {
    above: countWhile(slots.length, (at) => compareWith(slots[at] as number, position) < 0),
    ids: tag === '' ? [] : [...list(false), ...list(true)],
  }
}
