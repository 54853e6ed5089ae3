import { fieldsOf } from '../../core/api/parameters.ts'
import { PAGE_BYTES } from '../../core/api/read-passports.ts'
import { V3 } from '../../core/api/surface.ts'
import { invalidParameter } from '../../core/basics/errors.ts'
import { takeTurn } from '../../core/http/byte-budget.ts'
import { sendPage } from '../../core/http/rendered-page.ts'
import { type Context, type Query, route } from '../../core/http/route.ts'
import { formatFilter } from '../../core/lists/filter.ts'
import { formatCursor, parseCursor } from '../../core/lists/list-request.ts'
import { namesOf } from '../../core/passport/rules/rule-set.ts'
import { type FoundPeople, searchPeople } from '../../core/reads/search.ts'
import { findRules } from '../../core/scoring/stamped-rule-set.ts'
import {
  findFitting,
  LIST_PARAMETERS,
  parseListRequest,
  presentGroups,
  presentStandings,
  SORT,
  toPage,
  unitsOfList,
} from './list.ts'
import { SearchBody } from './schemas.ts'

const { q, filter, group_by, group_prefix, limit, include, select } = LIST_PARAMETERS

const PARAMETERS = {
  q: {
    ...q,
    description:
      'Words, an id, a wallet or a handle. Words that are a tag, place, credential, level or "human" are filters; all others are one name',
    required: true,
    example: 'human in reykjavik',
  },
  ...{ filter, sort: SORT, group_by, group_prefix, limit, include, select },
  cursor: { description: '`next` of the previous page, with the same `q`, `filter` and `sort`' },
} as const

export const search = route(V3, {
  name: 'v3_search',
  path: '/api/v3/search',
  id: 'searchPassportsV3',
  summary: 'Search passports by words',
  description:
    'Lists the passports that a text means, and says how it was read: the search of the web pages. The first page begins with passports whose id, wallet or handle is the text, and ends with those whose wallet or handle begins with it: up to 20 passports more than `limit`. If passports change between two pages, one of them can appear twice, or not at all.',
  query: PARAMETERS,
  responseHeaders: ['NextLink', 'Vary'],
  response: SearchBody,
  errors: ['not_ready'],
  async handle(request, context, parameters) {
    // Reading the matches takes bytes, too.
    await takeTurn(context, PAGE_BYTES)
    return sendPage(request, context, await findPage(context, parameters))
  },
})

/** Further units: for reading the text and looking up handles, and for other searches if nobody is found. */
const TEXT_UNITS = 2
const INSTEAD_UNITS = 5

async function findPage(context: Context, parameters: Query<keyof typeof PARAMETERS>) {
  if (parameters.q === undefined) throw invalidParameter('q', 'q is required: the text to search for.')
  const fields = fieldsOf(parameters)
  const { cursor, ...listParameters } = parameters
  const { keyword, groups = [], ...list } = parseListRequest(listParameters, fields)
  const text = keyword === undefined ? '' : parameters.q.trim()
  const units = unitsOfList({ ...list, groups }, fields, true) + TEXT_UNITS
  context.charge(units)
  // Binds cursors to the search.
  const query = { keyword: `search ${text}`, filter: list.filter, sort: list.sort }
  const offset = cursor === undefined ? 0 : parseCursor(query, cursor).id
  const { index, store } = context
  const { signal } = context.request
  const rules = await findRules(store)
  const { page, items, limit } = await findFitting(context, list.limit, fields, async (limit) => {
    const result = await searchPeople(context, rules, { ...list, groups, text, offset, limit }, signal)
    const { people, among } = result
    const ids = people.map(({ passport }) => passport.id)
    if (!fields.includes.has('standing')) return { ...result, ids, standings: new Map() }
    const scores = people.map(({ passport }) => passport.scores)
    const standings = (await index.call('standings', scores, signal)).map((standing, at) => {
      const rank = list.sort.field === 'passport_id' ? undefined : people[at]?.rank
      return { standing, rank, of: among }
    })
    return { ...result, ids, standings: presentStandings(ids, standings) }
  })
  if (page.total === 0) context.charge(units + INSTEAD_UNITS)
  const end = offset + limit
  const linkTo = (query: Record<string, string>) => `${search.path}?${new URLSearchParams(query)}`
  return toPage(linkTo, parameters, {
    items,
    next: end < page.named ? formatCursor(query, { value: 0, id: end }) : null,
    total: page.total,
    ...presentGroups(parameters.group_by === undefined ? undefined : page.groups),
    ...presentReading(page, namesOf(rules)),
  })
}

function presentReading({ reading, people, labels, suggestions, instead, total }: FoundPeople, names: Names) {
  const labelOf = (field: string, value: string | number) =>
    (field === 'type' && names.get(String(value))) || (labels[`${field} ${value}`] ?? String(value))
  const chips = reading.chips.map(({ words, term }) => ({
    ...{ words, filter: formatFilter([term]), field: term.field },
    values: term.conditions.map(({ not, operator, value, type = null }) => ({
      ...{ not, operator, value, label: labelOf(term.field, value), type },
    })),
  }))
  return {
    reading: { name: reading.name, filter: formatFilter(reading.chips.map(({ term }) => term)), chips },
    matches: people.flatMap(({ passport: { id }, reason }) =>
      reason
        ? { passport_id: id, kind: reason.kind, text: reason.kind === 'id' ? String(id) : reason.text }
        : [],
    ),
    suggestions,
    instead:
      instead && total === 0
        ? { name: instead.name, filter: instead.chips, near_misses: instead.nearMisses }
        : null,
  }
}

type Names = ReturnType<typeof namesOf>
