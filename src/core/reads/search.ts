import { foldName } from '../basics/text/fold-name.ts'
import type { IndexClient } from '../index/calls.ts'
import type { GroupRequest } from '../index/groups.ts'
import { equals, type Filter } from '../lists/filter.ts'
import type { Sort } from '../lists/list-request.ts'
import type { Passport } from '../passport/passport.ts'
import type { Level, RuleSetShape } from '../passport/rules/rule-set.ts'
import type { Store } from '../store/store.ts'
import { findMatches, findOwners, foldHandle, isComplete, type Match, type Reason } from './matches.ts'

/** What pages and APIs read from. */
export type Reads = { store: Store; index: IndexClient }

type Request = {
  text: string
  filter: Filter
  sort: Sort
  offset?: number
  limit: number
  groups?: readonly GroupRequest[]
}

/** `points` are those for each of the types. `reason`: the passport was found by its id, a wallet or a handle. */
export type FoundPerson = { passport: Passport; rank: number; points: number[]; reason?: Reason }

export type FoundPeople = Awaited<ReturnType<typeof searchPeople>>

/**
 * Reads a search text and finds its people, with one call of the index. The first page begins with the passports whose id, wallet or
 * handle is the text or whose handle is the only word that is no filter, and ends with those whose wallet or handle begins with it.
 */
export async function searchPeople(
  { store, index }: Reads,
  rules: RuleSetShape,
  request: Request,
  signal: AbortSignal,
) {
  const { text, sort, offset = 0 } = request
  const byKey = text === '' ? NONE : await findMatches(store, text.replace(/^"(.*)"$/s, '$1'))
  const typed = text.split(/\s+/)
  // Only the index knows which word is the name.
  const owners = typed.length > 1 && typed.length <= MOST_OWNERS ? await findOwners(store, typed) : []
  const isNew = (owner: Match) => byKey.matches.every(({ passport }) => passport.id !== owner.passport.id)
  const matches = [...byKey.matches, ...owners.filter(isNew)]
  const ids = matches.map(({ passport }) => passport.id)
  const ranks = matches.map(({ passport }) => sortValueOf(passport, sort))
  const { page, matching, ...found } = await index.call(
    'search',
    { ...request, known: phrasesOf(rules), ids, ranks },
    signal,
  )
  const words = foldName(found.reading.name).split(' ')
  const isNamed = ({ passport: { profile } }: Match) =>
    words.every((word) => foldName(profile.displayName).includes(word))
  const isFound = ({ reason: { text, start } }: Match, at: number) =>
    at < byKey.matches.length || text.slice(start) === foldHandle(found.reading.name)
  // A passport that also matches by name is listed anyway. A complete id, wallet or handle moves it to the top.
  const first = matches
    .map((match, at) => ({ ...match, rank: page.ranking?.ofValues[at] ?? 0, points: [] }))
    .filter(isFound)
    .filter((match) => matching.includes(match.passport.id) && (!isNamed(match) || isComplete(match.reason)))
  const extra = first.filter((match) => !isNamed(match)).length
  const shown = offset === 0 ? first : []
  const isTop = ({ reason }: Match) => isComplete(reason)
  const places = new Map(page.ids.map((id, at) => [id, at]))
  for (const { passport } of first) places.delete(passport.id)
  const named = await store.passports.listByIds([...places.keys()])
  const listed = named.map((passport): FoundPerson => {
    const at = places.get(passport.id) as number
    const points = Object.values(found.points).map((ofPage) => ofPage[at] ?? 0)
    return { passport, points, rank: page.ranking?.ofPage[at] ?? offset + at + 1 }
  })
  return {
    ...found,
    people: [...shown.filter(isTop), ...listed, ...shown.filter((match) => !isTop(match))],
    /** The number of people by name, and of all with those by id, wallet or handle. `isMore`: there are even more. */
    named: page.total,
    total: page.total + extra,
    isMore: byKey.isMore,
    /** The number of people among which the listed ones are ranked. */
    among: page.ranking?.among ?? page.total,
    groups: page.groups ?? [],
    types: Object.keys(found.points),
  }
}

const NONE = { matches: [], isMore: false }

/** In a longer text, words are not looked up as handles. */
const MOST_OWNERS = 6

function sortValueOf({ id, scores }: Passport, { field, pointsFor }: Sort): number {
  if (pointsFor !== undefined) return 0
  const { total: score, activity, identity, skills } = scores
  const values = { score, activity_score: activity, identity_score: identity, skills_score: skills }
  return field === 'passport_id' ? id : values[field]
}

/** The names of levels and credentials, which are no values of passports. */
function phrasesOf(rules: RuleSetShape): Record<string, Filter[]> {
  const phrases: Record<string, Filter[]> = {}
  const add = (phrase: string, terms: Filter) => {
    phrases[phrase] = [...(phrases[phrase] ?? []), terms]
  }
  for (const { name, terms } of termsOfLevels(rules.levels)) add(foldName(name), terms)
  for (const [type, { name }] of Object.entries(rules.types))
    for (const phrase of new Set([foldName(name), foldName(type).replaceAll('_', ' ')]))
      add(phrase, [equals('type', type)])
  return phrases
}

/** The scores of each level. */
export const termsOfLevels = (levels: readonly Level[] = []): { name: string; terms: Filter }[] =>
  levels.map(({ name, from }, at) => {
    const next = levels[at + 1]
    return { name, terms: [compareScore('>=', from), ...(next ? [compareScore('<', next.from)] : [])] }
  })

const compareScore = (operator: '>=' | '<', value: number): Filter[number] => ({
  field: 'score',
  conditions: [{ not: false, operator, value }],
})

const MOST_ALIKE = 3

/** Finds the people with the first tag of a passport whose scores are the nearest, the highest score first. */
export async function findAlike(
  { index, store }: Reads,
  { id, scores, profile }: Pick<Passport, 'id' | 'scores' | 'profile'>,
  signal: AbortSignal,
): Promise<Passport[]> {
  const tag = foldName(profile.tags[0] ?? '')
  if (tag === '') return []
  const list = async (descending: boolean) => {
    const sort = { field: 'score' as const, descending }
    const request = {
      filter: [equals('tag', tag)],
      sort,
      after: { value: scores.total, id },
      limit: MOST_ALIKE,
    }
    return (await index.call('list', { request }, signal)).ids
  }
  const ids = (await Promise.all([list(false), list(true)])).flat()
  // The index may have an earlier score of the passport itself.
  const people = await store.passports.listByIds(ids.filter((other) => other !== id))
  const distanceOf = (other: Passport) => Math.abs(other.scores.total - scores.total)
  const nearest = people.sort((one, other) => distanceOf(one) - distanceOf(other)).slice(0, MOST_ALIKE)
  return nearest.sort((one, other) => other.scores.total - one.scores.total)
}
