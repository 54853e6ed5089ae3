import { notFound } from '../../core/basics/errors.ts'
import { takeTurn } from '../../core/http/byte-budget.ts'
import { queryOf } from '../../core/http/parse-request.ts'
import { sendPage } from '../../core/http/rendered-page.ts'
import { json } from '../../core/http/response.ts'
import { type Context, type RouteRequest, route, type Surface } from '../../core/http/route.ts'
import { unknownPaths } from '../../core/http/unknown-path.ts'
import { CHUNK } from '../../core/lists/list-request.ts'
import { parsePassportKey } from '../../core/passport/passport.ts'
import * as v1 from '../v1/routes.ts'
import { CredentialListBody } from '../v1/schemas.ts'
import * as schemas from './schemas.ts'
import { findIds, findPeople } from './search.ts'
import { V2_BODIES } from './statements.ts'

const VERSION = { name: 'v2', bodies: V2_BODIES } as const

/** V2 has the endpoints of V1 with more fields, and three more endpoints. */
const V2: Surface = {
  ...v1.V1,
  retires: 'V2',
  tag: {
    name: 'V2',
    description:
      'V2 has the endpoints of V1 with the fields that later clients read, and a search. It is deprecated together with V1.',
  },
  schemas: { ...v1.V1.schemas, ...schemas },
}

const { keyword, page, per_page } = v1.PARAMETERS.list
const WORDS = { keyword, search: { ...keyword, description: 'Used if `keyword` is absent.' } }
const SIZE = { per_page, limit: { ...per_page, description: 'Used if `per_page` is absent.' } }

/** The filters of the list: the name, what comes before its value in a handle, and the description. */
const FILTERS = [
  ['filter[twitter]', 'twitter:', 'Only the person with this name on Twitter, whatever the `keyword`.'],
  ['filter[farcaster_id]', 'farcaster:', 'Only the person with this Farcaster id or name, likewise.'],
  ['passport_socials', '', 'Only the person with this source and name, such as `github:zoe`, likewise.'],
] as const
const LIST = Object.fromEntries(FILTERS.map(([name, , description]) => [name, { description }]))

const SEARCH = {
  query: {
    description:
      'A JSON object. `identity` is a handle such as `github:zoe`, its name alone, an id or a wallet. Unless `exactMatch` is true, it may also be the beginning of a handle or a part of a `display_name`.',
    example: '{"identity":"42","exactMatch":true}',
  },
  'query[identity]': { description: 'Instead of `query`: its `identity`.' },
  'query[exactMatch]': { description: 'Instead of `query`: its `exactMatch`.', schema: { type: 'boolean' } },
}

export const V2_ROUTES = [
  ...v1.createRoutes(VERSION, V2, {
    list: schemas.PassportListBodyV2,
    passport: schemas.PassportBodyV2,
    listParameters: { ...WORDS, page, ...SIZE, ...LIST },
    handleList,
  }),
  route(V2, {
    name: 'v2_search',
    path: '/api/v2/search/advanced/passport_app__passports',
    id: 'searchPassportsV2',
    summary: 'Search passports by handle, wallet or id (V2)',
    description: `Complete matches first, then by score; at most ${CHUNK} passports. The list is empty if there is none. Without \`exactMatch\`, the request counts as 5 requests.`,
    query: { ...SEARCH, page, ...SIZE },
    responseHeaders: ['Vary'],
    response: schemas.PassportListBodyV2,
    handle: async (request, context) => sendPeople(request, context, await findPeople(request, context)),
  }),
  route(V2, {
    name: 'v2_human_checkmark',
    path: '/api/v2/human_checkmark',
    id: 'getHumanCheckmarkV2',
    summary: 'Get the human checkmark of a passport (V2)',
    query: {
      id: {
        description: 'A passport id, a wallet, or a name in `account_source`.',
        required: true,
        example: '42',
      },
      account_source: { description: 'The source of the name in `id`, such as `farcaster`.' },
    },
    isImmediate: true,
    response: schemas.HumanCheckmarkBody,
    errors: ['not_found'],
    handle: getHumanCheckmark,
  }),
  route(V2, {
    name: 'v2_passport_credentials',
    path: '/api/v2/passports/:id/credentials',
    isImmediate: true,
    id: 'listPassportCredentialsV2',
    summary: 'List the credentials of a passport by its path (V2)',
    description: 'The response is that of `/api/v2/passport_credentials`.',
    params: v1.PARAMETERS.passport,
    response: CredentialListBody,
    errors: ['not_found'],
    handle: ({ params }: RouteRequest<'id'>, context) => v1.getCredentials(params.id, context),
  }),
  ...unknownPaths(V2, '/api/v2', 'v2_other'),
]

/** A filter for a person who is not here gets an empty list, because programs take the first passport. */
async function handleList(request: Request, context: Context): Promise<Response> {
  const query = queryOf(request)
  const filters = FILTERS.filter(([name]) => query.has(name))
  if (filters.length === 0) return v1.listPassports(VERSION, request, context)
  const idSets = await Promise.all(
    filters.map(([name, source]) => {
      const key = parsePassportKey(source + query.get(name))
      return findIds(context, key && 'handle' in key ? [key] : [])
    }),
  )
  return sendPeople(request, context, [idSets.reduce((all, set) => all.intersection(set))])
}

/**
 * Sends a page of the passports with these ids: those of the first set, highest score first, then those of the next.
 */
async function sendPeople(
  request: Request,
  context: Context,
  people: readonly ReadonlySet<number>[],
): Promise<Response> {
  const { page, size } = v1.parsePage(VERSION, queryOf(request))
  const cards = context.cardsOf(request)
  const total = people.reduce((sum, ids) => sum + ids.size, 0)
  await takeTurn(context, total * v1.ITEM_BYTES.v2)
  const lists = await Promise.all(
    people.map((ids) => context.store.data(V2_BODIES).rankItems([...ids], cards)),
  )
  const items = lists.flat()
  const pageItems = items.slice((page - 1) * size, page * size)
  return sendPage(request, context, await v1.renderListPage(pageItems, { page, size }, items.length))
}

/** Without `account_source`, a number is a passport id. With it, the number may be an id of that source. */
async function getHumanCheckmark(request: Request, context: Context): Promise<Response> {
  const query = queryOf(request)
  const [id, source] = [query.get('id') ?? '', (query.get('account_source') ?? '').toLowerCase()]
  const key = parsePassportKey(source === '' || source === 'wallet' ? id : `${source}:${id}`)
  const isWrongKind = source === 'wallet' && key && 'id' in key
  const [result] =
    key && !isWrongKind ? await context.store.passports.findByKeys([key], { credentials: false }) : []
  if (!result || !('passport' in result)) throw notFound()
  return json(context, JSON.stringify({ human_checkmark: result.passport.human }))
}
