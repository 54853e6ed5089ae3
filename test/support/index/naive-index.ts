import type { GroupRequest, ListPage, ListRequest } from '../../../src/core/index/find.ts'
import type { Condition, Filter } from '../../../src/core/lists/filter.ts'
import type { Position } from '../../../src/core/lists/list-request.ts'
import type { Facets } from './facets.ts'

/** The numbers by which a list is sorted, the most important one first. */
type Keys = [value: number, ...others: number[]]

function keysOf(person: Facets, { sort }: ListRequest): Keys {
  if (sort.pointsFor !== undefined) return [pointsOf(person, sort.pointsFor), person.score, -person.id]
  return sort.field === 'passport_id' ? [person.id] : [person[sort.field], -person.id]
}

function pointsOf({ points }: Facets, type: string): number {
  const own = points.filter((text) => text.slice(text.indexOf(' ') + 1) === type)
  return Math.max(0, ...own.map((text) => Number(text.split(' ')[0])))
}

function keysOfPosition({ value, id, score = 0 }: Position, { sort }: ListRequest): Keys {
  if (sort.pointsFor !== undefined) return [value, score, -id]
  return sort.field === 'passport_id' ? [id] : [value, -id]
}

function compareKeys(one: Keys, other: Keys): number {
  const at = one.findIndex((key, index) => key !== other[index])
  return at < 0 ? 0 : (one[at] as number) - (other[at] as number)
}

/** Evaluates a list passport by passport. */
export function findNaively(people: readonly Facets[], request: ListRequest): ListPage {
  const { keyword = '', filter, sort, after, offset = 0, limit, groups, ranks } = request
  const direction = sort.descending ? -1 : 1
  const words = keyword.split('\n')
  const filtered = people
    .filter((person) => matchesFilter(person, filter))
    .map((person) => ({ person, keys: keysOf(person, request) }))
  const matches = filtered
    .filter(({ person }) => words.every((word) => person.name.includes(word)))
    .sort((one, other) => direction * compareKeys(one.keys, other.keys))
  const isPast = ({ keys }: { keys: Keys }, position: Position) =>
    direction * compareKeys(keys, keysOfPosition(position, request)) > 0
  const rest = after ? matches.filter((match) => isPast(match, after)) : matches.slice(offset)
  const page = rest.slice(0, limit)
  const last = rest.length > limit ? page.at(-1) : undefined
  const rankOf = (value: number) => 1 + filtered.filter(({ keys }) => keys[0] > value).length
  const isRanked = sort.field !== 'passport_id'
  const findValue = (id: number) => {
    const person = people.find((each) => each.id === id)
    return person ? keysOf(person, request)[0] : 0
  }
  return {
    ids: page.map(({ person }) => person.id),
    next: last && {
      value: last.keys[0],
      id: last.person.id,
      ...(sort.pointsFor !== undefined && { score: last.person.score }),
    },
    total: matches.length,
    groups: groups?.map((group) => groupNaively(matches, group)),
    ranking:
      ranks && isRanked
        ? {
            among: filtered.length,
            ofPage: page.map(({ keys }) => rankOf(keys[0])),
            ofIds: ranks.map((id) => rankOf(findValue(id))),
          }
        : undefined,
  }
}

function groupNaively(matches: readonly { person: Facets }[], { field, prefix }: GroupRequest) {
  const counts = new Map<string | null, number>()
  for (const { person } of matches)
    for (const value of person[field].length === 0 ? [null] : person[field])
      if (prefix === undefined || value?.startsWith(prefix)) counts.set(value, (counts.get(value) ?? 0) + 1)
  const groups = [...counts]
    .map(([value, count]) => ({ field, value, label: value, count }))
    .sort((one, other) => other.count - one.count || (String(one.value) < String(other.value) ? -1 : 1))
  return { groups: groups.slice(0, 100), more: Math.max(0, groups.length - 100) }
}

const matchesFilter = (facets: Facets, filter: Filter) =>
  filter.every(({ field, conditions }) => {
    const values = [facets[field]].flat()
    return conditions.some((each) => values.some((value) => holds(value, each)) !== each.not)
  })

function holds(value: string | number, { operator, value: than, type }: Condition): boolean {
  if (type !== undefined) {
    const [, points, of] = /^(\S+) (.*)$/.exec(String(value)) ?? []
    return of === type && holds(Number(points), { not: false, operator, value: than })
  }
  if (operator === '=') return value === than
  const difference = Number(value) - Number(than)
  if (difference === 0) return operator.endsWith('=')
  return operator.startsWith('>') === difference > 0
}
