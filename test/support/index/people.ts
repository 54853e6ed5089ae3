import { findList, type ListPage, type ListRequest } from '../../../src/core/index/find.ts'
import { createPassportIndex, type PassportIndex } from '../../../src/core/index/passport-index.ts'
import { replacePassports } from '../../../src/core/index/replace.ts'
import { type Facets, toRow } from './facets.ts'

/** A person with only the given values. */
export const person = (id: number, given: Partial<Facets> = {}): Facets => ({
  id,
  name: '',
  score: 0,
  activity_score: 0,
  identity_score: 0,
  skills_score: 0,
  human: ['false'],
  location: [],
  tag: [],
  source: [],
  type: [],
  points: [],
  rules: [],
  ...given,
})

/** Many people, with the values that `give` returns. */
export const people = (count: number, give: (id: number) => Partial<Facets>): Facets[] =>
  Array.from({ length: count }, (_, at) => person(at + 1, give(at + 1)))

export function indexOf(all: readonly Facets[]): PassportIndex {
  const index = createPassportIndex()
  change(index, [], all)
  return index
}

export const change = (index: PassportIndex, removed: readonly number[], added: readonly Facets[]): void =>
  replacePassports(index, [...removed, ...added.map(({ id }) => id)], added.map(toRow))

/** The ranking, unless the request says something else. */
export const list = (index: PassportIndex, request: Partial<ListRequest> = {}): ListPage =>
  findList(index, { filter: [], sort: { field: 'score', descending: true }, limit: 25, ...request })
