import { CHUNK, findList, isRanking } from '../../catalog/find-list.ts'
import { parseFilter } from '../../domain/lists/filter.ts'
import {
  DEFAULT_LIMIT,
  formatCursor,
  LARGEST_LIMIT,
  type ListRequest,
  parseCursor,
  parseGroupBy,
  parseKeyword,
  parseLimit,
  parseSort,
} from '../../domain/lists/list-request.ts'
import type { Fields } from '../../domain/v3/fields.ts'
import { unitsOfList } from '../../domain/v3/units.ts'
import { renderLarge, takeTurn } from '../backpressure/backpressure.ts'
import { createPage, type RenderedPage, sendPage } from '../rendered-page.ts'
import type { Context, RouteRequest } from '../request.ts'
import { JSON_HEADERS } from '../response.ts'
import { parametersOf } from './parameters.ts'
import { fieldsOf } from './passports.ts'
import { readAll, readPassports } from './read-passports.ts'

const PARAMETERS = ['q', 'filter', 'sort', 'group_by', 'limit', 'cursor', 'include', 'select'] as const

type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>

/** Pages of the ranking are cached until the snapshot changes. */
export async function listPassports(request: RouteRequest, context: Context): Promise<Response> {
  const parameters = parametersOf(request, PARAMETERS)
  const fields = fieldsOf(parameters)
  const list = { ...parseListRequest(parameters, fields), signal: request.signal }
  await context.charge(unitsOfList(list, fields, !isRanking(list)))
  const render = () => renderList(context, parameters, list, fields)
  const find = async () =>
    list.keyword !== undefined || !isRanking(list)
      ? render()
      : context.pages.get(await context.catalog.current(), linkTo(parameters), render)
  const respond = async () => sendPage(request, context, await find())
  return list.limit > CHUNK || fields.includes.size > 0 ? renderLarge(context, respond) : respond()
}

function parseListRequest(parameters: Parameters, { includes }: Fields): ListRequest {
  const { q, filter, sort, group_by, limit, cursor } = parameters
  const query = {
    keyword: parseKeyword(q, 'q'),
    filter: filter === undefined ? [] : parseFilter(filter),
    sort: parseSort(sort),
  }
  return {
    ...query,
    groupBy: parseGroupBy(group_by),
    // Credentials and explanations may be large.
    limit: parseLimit(limit, DEFAULT_LIMIT, includes.size > 0 ? CHUNK : LARGEST_LIMIT, [...includes]),
    after: cursor === undefined ? undefined : parseCursor(query, cursor),
  }
}

const linkTo = (parameters: Parameters) => `/api/v3/passports?${new URLSearchParams(parameters)}`

async function renderList(
  context: Context,
  parameters: Parameters,
  request: ListRequest,
  fields: Fields,
): Promise<RenderedPage> {
  const found = await findList(context, request, (ids) => renderItems(context, ids, fields))
  const next = found.next ? formatCursor(request, found.next) : null
  const rest = JSON.stringify({
    next,
    total: found.total,
    ...(found.grouped && { groups: found.grouped.groups, more_groups: found.grouped.more }),
  })
  return createPage(`{"items":[${found.items.join(',')}],${rest.slice(1)}`, {
    ...JSON_HEADERS,
    ...(next !== null && { Link: `<${linkTo({ ...parameters, cursor: next })}>; rel="next"` }),
  })
}

/** In the order of the ids. Passports that are no longer listed are left out. */
async function renderItems(context: Context, ids: readonly number[], fields: Fields): Promise<string[]> {
  const keys = ids.map((id) => ({ id }))
  const results = await Array.fromAsync(
    readAll(
      keys,
      (some) => readPassports(context, some, fields),
      () => takeTurn(context),
    ),
  )
  return results.flatMap((result, at) =>
    // The id of a merged passport finds the survivor.
    result && 'passport' in result && result.passport.id === ids[at] ? [result.json] : [],
  )
}
