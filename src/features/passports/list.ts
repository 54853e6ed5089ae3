import { type Fields, fieldsOf } from '../../core/api/parameters.ts'
import { presentStanding } from '../../core/api/present.ts'
import {
  PAGE_BYTES,
  readAll,
  readPassports,
  type Standings,
  unitsOfPassports,
} from '../../core/api/read-passports.ts'
import { listParameter, V3 } from '../../core/api/surface.ts'
import { AFTER, waitForCursor } from '../../core/api/wait-for-cursor.ts'
import type { EventCursor } from '../../core/history/event-cursor.ts'
import { takeTurn } from '../../core/http/byte-budget.ts'
import { createPage, type RenderedPage, sendPage } from '../../core/http/rendered-page.ts'
import { JSON_HEADERS } from '../../core/http/response.ts'
import { type Context, type Query, route } from '../../core/http/route.ts'
import type { ListPage, ListRequest } from '../../core/index/find.ts'
import { FILTER_FIELDS, LONGEST_FILTER, parseFilter } from '../../core/lists/filter.ts'
import {
  CHUNK,
  DEFAULT_LIMIT,
  formatCursor,
  GROUP_FIELDS,
  LARGEST_LIMIT,
  MOST_GROUP_FIELDS,
  MOVERS_SORTS,
  parseCursor,
  parseGroups,
  parseKeyword,
  parseLimit,
  parseSort,
  SORT_FIELDS,
} from '../../core/lists/list-request.ts'
import type { Standing } from '../../core/passport/passport.ts'
import { FIELD_PARAMETERS } from './passport.ts'
import { ListBody } from './schemas.ts'

/** The parameter `sort` without the sorts of movers. */
export const SORT = {
  description:
    'A field, or `points:` and a type of credentials, such as `-points:github`; with a minus sign, the highest value comes first',
  schema: sortSchema([]),
}

function sortSchema(more: readonly string[]) {
  const fields = [...SORT_FIELDS.flatMap((field) => [`-${field}`, field]), ...more]
  return { anyOf: [{ enum: fields }, { type: 'string', pattern: '^-?points:.' }], default: '-score' }
}

export const LIST_PARAMETERS = {
  q: {
    description: 'Only passports whose `display_name` contains this text, ignoring case and accents',
    schema: { type: 'string', maxLength: 200 },
  },
  filter: {
    description: `Terms such as \`tag:solidity\`. A comma between terms means "and".

- \`type:github|ens\`: a pipe means "or"
- \`tag:!bot\`: an exclamation mark means "not"
- \`score:>200\`, \`points:github>=20\`: scores and points are compared by \`>\`, \`>=\`, \`<\` and \`<=\`
- \`location:"Lagos, NG"\`: a value with a comma, pipe or colon is in double quotes

Fields: ${Object.keys(FILTER_FIELDS).join(', ')}`,
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: LONGEST_FILTER,
      examples: ['human:true,score:>50,type:github|ens,tag:!bot'],
    },
  },
  sort: {
    description: `${SORT.description}. With \`since\`: \`-change\` lists the passports whose score rose, \`change\` those whose score fell, both with the largest change first; \`-added\` lists new passports, the latest first.`,
    schema: sortSchema(MOVERS_SORTS),
  },
  since: {
    description:
      'A time of the last 31 days, such as `2026-10-01` or `2026-10-01T12:00:00Z`. Required with `sort` by `-change`, `change` and `-added`, which list at most 1,000 passports and cannot be combined with `q`, `filter`, `group_by`, `group_prefix` and `after`.',
    schema: { type: 'string' },
  },
  group_by: listParameter(
    `Counts all matching passports by the values of these fields, up to ${MOST_GROUP_FIELDS}`,
    { enum: GROUP_FIELDS },
    { maxItems: MOST_GROUP_FIELDS, uniqueItems: true },
  ),
  group_prefix: {
    description: 'With `group_by`, counts only the values that begin with this text',
    schema: { type: 'string', maxLength: 200 },
  },
  limit: {
    description: `Passports per page, 1 to ${LARGEST_LIMIT}; at most 50 with \`credentials\`, \`standing\`, \`explanation\` or \`since\`. By default ${DEFAULT_LIMIT}`,
    schema: { type: 'integer', minimum: 1, maximum: LARGEST_LIMIT, default: DEFAULT_LIMIT },
    example: 2,
  },
  cursor: { description: '`next` of the previous page, with the same `q`, `filter`, `sort` and `since`' },
  ...FIELD_PARAMETERS,
  select: {
    ...FIELD_PARAMETERS.select,
    example: ['passport_id', 'score', 'human_checkmark', 'passport_profile'],
  },
  after: AFTER,
}

export type ListParameters = Query<keyof typeof LIST_PARAMETERS>

export const listOfPassports = route(V3, {
  name: 'v3_list',
  path: '/api/v3/passports',
  id: 'listPassportsV3',
  summary: 'List, filter, sort and count passports',
  description:
    'Highest score first. Follow `next` until it is null. While passports change, no unchanged passport is repeated or left out.',
  query: LIST_PARAMETERS,
  responseHeaders: ['NextLink', 'Vary'],
  response: ListBody,
  errors: ['not_ready', 'cursor_expired', 'before_history'],
  handle: listPassports,
})

/** Pages of the ranking are cached until the index changes. */
async function listPassports(
  request: Request,
  context: Context,
  parameters: ListParameters,
): Promise<Response> {
  const fields = fieldsOf(parameters)
  const list = parseListRequest(parameters, fields)
  context.charge(unitsOfList(list, fields, !isRanking(list)))
  // The passports of the page are read in this thread, the list in that of the index: both have to include the event.
  const event = await waitForCursor(context, parameters.after)
  const render = () => renderList(context, parameters, { request: list, after: event }, fields)
  const find = async () =>
    event || list.keyword !== undefined || !isRanking(list)
      ? render()
      : context.pages.get(await context.index.version(), linkTo(parameters), render)
  return sendPage(request, context, await find())
}

const isRanking = ({ filter, groups, sort }: ListRequest): boolean =>
  filter.length === 0 && !groups && sort.field === 'score' && sort.pointsFor === undefined

/** Further units of a list: for a filter or another order, for each field of groups, and for a search in the index. */
const INDEX_UNITS = 2
const GROUP_UNITS = 2
const INDEX_SEARCH_UNITS = 8

/** `needsIndex`: the list is not a page of the ranking. */
export function unitsOfList(
  { limit, keyword, groups }: Pick<ListRequest, 'limit' | 'keyword' | 'groups'>,
  fields: Fields,
  needsIndex: boolean,
): number {
  const index = needsIndex ? INDEX_UNITS + (keyword === undefined ? 0 : INDEX_SEARCH_UNITS) : 0
  return unitsOfPassports(limit, fields) + index + GROUP_UNITS * (groups?.length ?? 0)
}

export function parseListRequest(parameters: ListParameters, { includes }: Fields): ListRequest {
  const { q, filter, sort, group_by, group_prefix, limit, cursor } = parameters
  const query = {
    keyword: parseKeyword(q, 'q'),
    filter: filter === undefined ? [] : parseFilter(filter),
    sort: parseSort(sort),
  }
  return {
    ...query,
    groups: parseGroups(group_by, group_prefix),
    ranks: includes.has('standing') ? [] : undefined,
    // Fewer passports fit on a page with credentials or explanations, which may be large.
    limit: parseLimit(limit, DEFAULT_LIMIT, includes.size > 0 ? CHUNK : LARGEST_LIMIT, [...includes]),
    after: cursor === undefined ? undefined : parseCursor(query, cursor),
  }
}

export const linkTo = (parameters: Texts) => `/api/v3/passports?${new URLSearchParams(parameters)}`

/** With `after`, the list includes that event. */
type Asked = { request: ListRequest; after: EventCursor | undefined }

async function renderList(
  context: Context,
  parameters: ListParameters,
  { request, after }: Asked,
  fields: Fields,
) {
  const { signal } = context.request
  const { items, page } = await findFitting(context, request.limit, fields, async (limit) => {
    const result = await context.index.call('list', { request: { ...request, limit }, after }, signal)
    const { among: of = 0, ofPage = [] } = result.ranking ?? {}
    const standings = result.standings.map((standing, at) => ({ standing, rank: ofPage[at], of }))
    return { ...result, standings: presentStandings(result.ids, standings) }
  })
  // Joining a large page takes milliseconds.
  await takeTurn(context)
  return toPage(linkTo, parameters, {
    items,
    next: page.next ? formatCursor(request, page.next) : null,
    total: page.total,
    ...presentGroups(page.groups),
  })
}

export const presentGroups = (all: ListPage['groups']) =>
  all && {
    groups: all.flatMap(({ groups }) => groups),
    more_groups: all.reduce((sum, { more }) => sum + more, 0),
  }

type Ranked = { standing: Standing; rank: number | undefined; of: number }

export const presentStandings = (ids: readonly number[], standings: readonly Ranked[]): Standings =>
  new Map(
    standings.map(({ standing, rank, of }, at) => [
      ids[at] as number,
      presentStanding(standing, rank === undefined ? undefined : { rank, of }),
    ]),
  )

type Texts = Readonly<Record<string, string>>
type Body = { items: readonly string[]; next: string | null; total: number }

export function toPage(
  linkTo: (parameters: Texts) => string,
  parameters: Texts,
  { items, ...rest }: Body,
): RenderedPage {
  const { next } = rest
  return createPage(`{"items":[${items.join(',')}],${JSON.stringify(rest).slice(1)}`, {
    ...JSON_HEADERS,
    ...(next !== null && { Link: `<${linkTo({ ...parameters, cursor: next })}>; rel="next"` }),
  })
}

type Findable = { ids: readonly number[]; standings: Standings }

/** Finds a page of at most `largest` passports. If it would be too large, finds the shorter page that fits. */
export async function findFitting<Page extends Findable>(
  context: Context,
  largest: number,
  fields: Fields,
  find: (limit: number) => Promise<Page>,
) {
  let limit = largest
  let page = await find(limit)
  for (;;) {
    const { ids, standings } = page
    const items = await renderItems(context, ids, fields, standings)
    const isWhole = items.length === ids.length
    if (!isWhole) {
      limit = items.length
      page = await find(limit)
    }
    // The list may have changed meanwhile.
    if (isWhole || (standings.size === 0 && page.ids.every((id, at) => id === ids[at])))
      return { page, limit, items: items.filter((json) => json !== undefined) }
  }
}

/**
 * Renders the first passports, in the order of the ids, as many as fit on a page. Passports that are no longer listed
 * are `undefined`.
 */
async function renderItems(context: Context, ids: readonly number[], fields: Fields, standings: Standings) {
  const keys = ids.map((id) => ({ id }))
  const read = (some: readonly { id: number }[]) => readPassports(context, some, fields, { standings })
  await takeTurn(context, PAGE_BYTES)
  const items: (string | undefined)[] = []
  let bytes = 0
  for await (const result of readAll(keys, read, () => takeTurn(context))) {
    // The id of a merged passport finds another passport: the one that it was merged into.
    const isListed = result && 'passport' in result && result.passport.id === ids[items.length]
    bytes += isListed ? Buffer.byteLength(result.json) : 0
    if (bytes > PAGE_BYTES && items.length > 0) break
    items.push(isListed ? result.json : undefined)
  }
  return items
}
