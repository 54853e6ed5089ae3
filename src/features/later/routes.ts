import Type, { type TSchema } from 'typebox'
import { PAGE_BYTES } from '../../core/api/read-passports.ts'
import { parseJson, readBody } from '../../core/api/request-body.ts'
import { invalidParameter } from '../../core/basics/errors.ts'
import { closed } from '../../core/basics/schema-helpers.ts'
import type { PassportV3 } from '../../core/history/passport-state.ts'
import { EXAMPLE } from '../../core/http/openapi-parts.ts'
import { queryOf } from '../../core/http/parse-request.ts'
import { acceptsHtml } from '../../core/http/rendered-page.ts'
import { json } from '../../core/http/response.ts'
import { type Context, type Parameters, type Route, route, type Surface } from '../../core/http/route.ts'
import { lastPage, parsePageNumber, parsePageSize } from '../../core/lists/list-request.ts'
import { parsePassportKey } from '../../core/passport/passport.ts'
import { DEFAULT_RULES, findRules } from '../../core/scoring/stamped-rule-set.ts'
import { ITEM_BYTES, PAGINATION, V1 } from '../v1/routes.ts'
import { Pagination } from '../v1/schemas.ts'
import { findOne, findRanks, readKeys } from './find.ts'
import * as present from './present.ts'
import * as schemas from './schemas.ts'
import { checkScorer, findPage, parseSearch, readParameters } from './search.ts'

const LATER: Surface = {
  ...V1,
  retires: 'The API at the root',
  tag: {
    name: 'Later',
    description:
      'The last API of the host of V1 and V2, for programs that were written against it. It gets no new features.',
  },
  errors: [...V1.errors, 'not_found', 'content_too_large'],
  schemas: { ...V1.schemas, ...schemas, Pagination },
}

const SCORER: Parameters = { scorer_slug: { description: '`builder_score`, the only score.' } }
const NAMED: Parameters = {
  id: { description: 'A wallet, a passport id, or a handle of any source, in this order.', example: '42' },
  wallet: { description: 'Instead of `id`: a wallet.' },
  account_source: { description: 'The source of the handle in `id`, such as `farcaster`, or `wallet`.' },
  source: { description: 'Used if `account_source` is absent.' },
  ...SCORER,
}
const SLUGS: Parameters = {
  slug: { description: 'Only this type.' },
  slugs: { description: 'Only these types, comma-separated.' },
}

/** The values of a list such as `slugs=a,b` or `slugs[]=a&slugs[]=b`. */
const listOf = (query: URLSearchParams, name: string) =>
  [...query.getAll(name), ...query.getAll(`${name}[]`)].flatMap((text) => text.split(','))

/** A page of the explorer has the same path. Clients that prefer pages get it, unless they name a person or send a key. */
const wantsJson = (request: Request) =>
  !acceptsHtml(request) || request.headers.has('x-api-key') || queryOf(request).has('id')

const CARDS = 'https://passports.example.com/card/'
const SCORE = present.presentScore(EXAMPLE, 488)
const PROFILE = present.presentProfile(EXAMPLE, 488, CARDS)

type Call = {
  schema: TSchema
  example: unknown
  read: (passport: PassportV3, context: Context) => unknown
  /** Another name of the member. */
  also?: string
  /** What the v3 call that replaces it includes. */
  include?: string
  isFor?: NonNullable<Route['isFor']>
}

/** The calls about one person, by the member of their responses. */
const CALLS: Readonly<Record<string, Call>> = {
  score: { schema: schemas.LaterScore, example: SCORE, read: readScore },
  scores: {
    schema: Type.Array(schemas.LaterScore),
    example: [SCORE],
    read: async (passport, context) => [await readScore(passport, context)],
  },
  profile: {
    schema: schemas.LaterProfile,
    example: PROFILE,
    read: async (passport, context) => (await readProfiles([passport], context))[0],
  },
  credentials: {
    schema: Type.Array(schemas.LaterCredential),
    example: present.presentCredentials(EXAMPLE, DEFAULT_RULES),
    read: async (passport, { store }) => present.presentCredentials(passport, await findRules(store)),
    include: 'credentials',
    isFor: wantsJson,
  },
  socials: {
    schema: Type.Array(schemas.LaterSocial),
    example: EXAMPLE.socials.map(present.presentSocial),
    read: ({ socials }) => socials.map(present.presentSocial),
  },
  human_checkmark: {
    schema: Type.Boolean(),
    example: EXAMPLE.human,
    read: ({ human }) => human,
    also: 'humanity_verified',
  },
  accounts: {
    schema: Type.Array(schemas.LaterAccount),
    example: present.presentAccounts(EXAMPLE),
    read: present.presentAccounts,
  },
  data_points: {
    schema: Type.Array(schemas.LaterDataPoint),
    example: [],
    read: readDataPoints,
    include: 'explanation',
  },
}

async function readScore(passport: PassportV3, context: Context) {
  const [rank = null] = await findRanks(context, [passport])
  return present.presentScore(passport, rank)
}

async function readProfiles(people: readonly PassportV3[], context: Context) {
  const [ranks, cards] = [await findRanks(context, people), context.cardsOf(context.request)]
  return people.map((passport, at) => present.presentProfile(passport, ranks[at] ?? null, cards))
}

async function readDataPoints({ id }: PassportV3, context: Context) {
  await context.budget.take(context, PAGE_BYTES)
  return present.presentDataPoints((await context.explain({ id }))?.lines ?? [])
}

function createRoute([name, { schema, example, read, also = name, include, isFor }]: [string, Call]) {
  const bodyOf = <Value>(value: Value) => ({ [name]: value, [also]: value })
  return route(LATER, {
    ...{ name: `later_${name}`, id: `later_${name}`, path: `/${name}` },
    ...(isFor && { isFor, responseHeaders: ['VaryPage'] }),
    summary: `Get the ${name.replaceAll('_', ' ')} of a person`,
    description: `Replaced by \`GET /api/v3/passports/{key}${include ? `?include=${include}` : ''}\`.`,
    query: { ...NAMED, ...(include && SLUGS) },
    response: closed(bodyOf(schema)),
    example: bodyOf(example),
    async handle(request, context) {
      const query = queryOf(request)
      checkScorer(query.get('scorer_slug') ?? '')
      const value = await read(await findOne(context, query), context)
      const response = json(context, JSON.stringify(bodyOf(include ? select(value, query) : value)))
      if (isFor) response.headers.set('Vary', 'Accept, X-API-KEY')
      return response
    },
  })
}

/** The items of the types that the query names, or all. */
function select(items: unknown, query: URLSearchParams) {
  const slugs = [...listOf(query, 'slugs'), ...listOf(query, 'slug')].filter((slug) => slug !== '')
  return (items as { slug: string }[]).filter(({ slug }) => slugs.length === 0 || slugs.includes(slug))
}

const SCORES = Type.Array(closed({ fid: Type.Integer(), ...schemas.LaterScore.properties }))
const MOST_FIDS = 100

/** As in v3, this many passports are one unit. */
const PASSPORTS_PER_UNIT = 25

async function listFarcasterScores(request: Request, context: Context): Promise<Response> {
  const query = queryOf(request)
  checkScorer(query.get('scorer_slug') ?? '')
  const fids = listOf(query, 'fids').map((fid) => fid.trim())
  if (fids.length === 0 || fids.length > MOST_FIDS || !fids.every((fid) => /^\d{1,15}$/.test(fid)))
    throw invalidParameter('fids', `fids must be 1 to ${MOST_FIDS} Farcaster ids, separated by commas.`)
  context.charge(Math.ceil(fids.length / PASSPORTS_PER_UNIT))
  const keys = fids.flatMap((fid) => parsePassportKey(`farcaster:${fid}`) ?? [])
  // A name of several people is left out.
  const known = (await readKeys(context, keys)).flatMap((found, at) =>
    found && 'passport' in found ? [{ fid: Number(fids[at]), passport: found.passport }] : [],
  )
  const ranks = await findRanks(
    context,
    known.map(({ passport }) => passport),
  )
  const scores = known.map(({ fid, passport }, at) => ({
    fid,
    ...present.presentScore(passport, ranks[at] ?? null),
  }))
  return json(context, JSON.stringify({ scores }))
}

const SEARCH = {
  name: 'later_search',
  path: '/search/advanced/profiles',
  summary: 'Search people',
  description:
    'Replaced by `GET /api/v3/search`. Without `exactMatch`, `identity` may also be a part of a name. A search that is not served, such as one with `customQuery`, is refused.',
  response: closed({ profiles: Type.Array(schemas.LaterProfile), pagination: Pagination }),
  example: {
    profiles: [PROFILE],
    pagination: { ...PAGINATION, last_page: 1, total: 1 },
  },
  units: 5,
}

async function search(given: unknown, context: Context): Promise<Response> {
  const asked = parseSearch(given)
  const page = parsePageNumber(`${asked.page ?? ''}`)
  const size = parsePageSize('per_page', `${asked.per_page ?? ''}`)
  const most = Math.max(size, asked.query?.walletAddresses?.length ?? 0)
  context.charge(SEARCH.units - 1 + Math.ceil(most / PASSPORTS_PER_UNIT))
  await context.budget.take(context, most * ITEM_BYTES.v1)
  const { people, total } = await findPage(context, asked, (page - 1) * size, size)
  const profiles = await readProfiles(people, context)
  const pagination = { current_page: page, last_page: lastPage(total, size), total }
  return json(context, JSON.stringify({ profiles, pagination }))
}

export const LATER_ROUTES: readonly Route[] = [
  ...Object.entries(CALLS).map(createRoute),
  route(LATER, {
    name: 'later_farcaster_scores',
    path: '/farcaster/scores',
    id: 'later_farcaster_scores',
    summary: 'List the scores of people by their Farcaster ids',
    description: 'Replaced by `POST /api/v3/lookup`. Unknown ids are left out.',
    query: {
      fids: { description: 'Up to 100 ids, comma-separated.', required: true, example: '501383' },
      ...SCORER,
    },
    response: closed({ scores: SCORES }),
    example: { scores: [{ fid: 501383, ...SCORE }] },
    handle: listFarcasterScores,
  }),
  route(LATER, {
    ...SEARCH,
    id: 'later_search',
    query: {
      query: {
        description: 'A JSON object, see the body of POST; or parameters such as `query[identity]`.',
        example: '{"identity":"42","exactMatch":true}',
      },
      sort: { description: 'A JSON object such as `{"score":{"order":"desc"}}`; or `sort[score][order]`.' },
      page: { description: 'Page number, from 1.' },
      per_page: { description: 'People per page, 25 by default and at most 250.' },
      view: { description: 'Ignored.' },
    },
    handle: (request, context) => search(readParameters(queryOf(request)), context),
  }),
  route(LATER, {
    ...SEARCH,
    methods: ['POST'],
    id: 'later_search_by_body',
    body: schemas.LaterSearch,
    errors: ['unsupported_media_type'],
    bodyExample: { query: { identity: '42', exactMatch: true } },
    async handle(request, context) {
      const { bytes } = await readBody(request, context, ['application/json'])
      const response = await search(parseJson(bytes), context)
      response.headers.delete('ETag')
      return response
    },
  }),
]
