import Type, { type TSchema } from 'typebox'
import { PAGE_BYTES } from '../../core/api/read-passports.ts'
import { parseJson, readBody } from '../../core/api/request-body.ts'
import { invalidParameter } from '../../core/basics/errors.ts'
import { closed } from '../../core/basics/schema-helpers.ts'
import type { PassportV3 } from '../../core/history/passport-state.ts'
import { takeTurn } from '../../core/http/byte-budget.ts'
import { queryOf } from '../../core/http/parse-request.ts'
import { acceptsHtml } from '../../core/http/rendered-page.ts'
import { json } from '../../core/http/response.ts'
import { type Context, type Parameters, type Route, route, type Surface } from '../../core/http/route.ts'
import { lastPage, parsePageNumber, parsePageSize } from '../../core/lists/list-request.ts'
import { parsePassportKey } from '../../core/passport/passport.ts'
import { findRules } from '../../core/scoring/stamped-rule-set.ts'
import { ITEM_BYTES, V1 } from '../v1/routes.ts'
import { Pagination } from '../v1/schemas.ts'
import { findOne, findScores, readKeys } from './find.ts'
import * as present from './present.ts'
import * as schemas from './schemas.ts'
import { checkScorer, findProfiles, parseLaterSearch, readParameters } from './search.ts'

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

const SCORER = { scorer_slug: { description: '`builder_score`, the only score.' } }
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

/**
 * A page of the explorer has the same path. Clients that prefer pages get it, unless they name a person or send a key.
 */
const wantsJson = (request: Request) =>
  !acceptsHtml(request) || request.headers.has('x-api-key') || queryOf(request).has('id')

type Call = [TSchema, (passport: PassportV3, context: Context) => unknown]

/** The calls about one person, by the member of their responses. */
const CALLS: Readonly<Record<string, Call>> = {
  score: [schemas.LaterScore, async (...terms) => (await readScores(...terms))[0]],
  scores: [Type.Array(schemas.LaterScore), readScores],
  profile: [schemas.LaterProfile, readProfile],
  credentials: [
    Type.Array(schemas.LaterCredential),
    async (passport, { store }) => present.presentCredentials(passport, await findRules(store)),
  ],
  socials: [Type.Array(schemas.LaterSocial), present.presentSocials],
  human_checkmark: [Type.Boolean(), ({ human }) => human],
  accounts: [Type.Array(schemas.LaterAccount), present.presentAccounts],
  data_points: [Type.Array(schemas.LaterDataPoint), readDataPoints],
}

/** What the v3 calls include that replace calls with slugs. */
const INCLUDES: Readonly<Record<string, string>> = { credentials: 'credentials', data_points: 'explanation' }

/** Programs read either of two names of a member. */
const OTHER_NAMES: Readonly<Record<string, string>> = { human_checkmark: 'humanity_verified' }

async function readScores(passport: PassportV3, context: Context) {
  return findScores([passport], context)
}

async function readProfile(passport: PassportV3, context: Context) {
  const [score] = await readScores(passport, context)
  return present.presentProfile(passport, score, context.cardsOf(context.request))
}

async function readDataPoints({ id }: PassportV3, context: Context) {
  await takeTurn(context, PAGE_BYTES)
  return present.presentDataPoints((await context.explain({ id }))?.lines ?? [])
}

function createRoute([name, [schema, read]]: [string, Call]) {
  const include = INCLUDES[name]
  const isPage = name === 'credentials'
  const bodyOf = <Value>(value: Value) => ({ [name]: value, [OTHER_NAMES[name] ?? name]: value })
  return route(LATER, {
    ...{ name: `later_${name}`, id: `later_${name}`, path: `/${name}` },
    ...(isPage && { isFor: wantsJson, responseHeaders: ['VaryPage'] }),
    summary: `Get the ${name.replaceAll('_', ' ')} of a person`,
    description: `Replaced by \`GET /api/v3/passports/{key}${include ? `?include=${include}` : ''}\`.`,
    query: { ...NAMED, ...(include && SLUGS) },
    response: closed(bodyOf(schema)),
    async handle(request, context) {
      const query = queryOf(request)
      checkScorer(query.get('scorer_slug') ?? '')
      const value = await read(await findOne(context, query), context)
      const response = json(context, JSON.stringify(bodyOf(include ? selectSlugs(value, query) : value)))
      if (isPage) response.headers.set('Vary', 'Accept, X-API-KEY')
      return response
    },
  })
}

function selectSlugs(items: unknown, query: URLSearchParams) {
  const slugs = [...listOf(query, 'slugs'), ...listOf(query, 'slug')].filter((slug) => slug !== '')
  return (items as { slug: string }[]).filter(({ slug }) => slugs.length === 0 || slugs.includes(slug))
}

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
  // An id of several people is left out.
  const passports = (await readKeys(context, keys)).map(
    (match) => match && 'passport' in match && match.passport,
  )
  const knownFids = fids.filter((_, at) => passports[at])
  const scores = await findScores(
    passports.filter((passport) => !!passport),
    context,
  )
  const body = { scores: scores.map((score, at) => ({ fid: Number(knownFids[at]), ...score })) }
  return json(context, JSON.stringify(body))
}

const SEARCH = {
  name: 'later_search',
  path: '/search/advanced/profiles',
  summary: 'Search people',
  description:
    'Replaced by `GET /api/v3/search`. Without `exactMatch`, `identity` may also be a part of a name. A search that is not served, such as one with `customQuery`, is refused.',
  response: closed({ profiles: Type.Array(schemas.LaterProfile), pagination: Pagination }),
  units: 5,
}

const PARAMETERS: Parameters = {
  query: { description: 'JSON, see the body of POST; or `query[identity]=`.', example: '{"identity":"42"}' },
  sort: { description: 'JSON, such as `{"score":{"order":"desc"}}`; or `sort[score][order]=`.' },
  page: { description: 'Page number, from 1.' },
  per_page: { description: 'People per page, 25 by default and at most 250.' },
  view: { description: 'Ignored.' },
}

async function searchProfiles(input: unknown, context: Context): Promise<Response> {
  const terms = parseLaterSearch(input)
  const page = parsePageNumber(`${terms.page ?? ''}`)
  const size = parsePageSize('per_page', `${terms.per_page ?? ''}`)
  const most = Math.max(size, terms.query?.walletAddresses?.length ?? 0)
  context.charge(SEARCH.units - 1 + Math.ceil(most / PASSPORTS_PER_UNIT))
  await takeTurn(context, most * ITEM_BYTES.v1)
  const { people, total } = await findProfiles(context, terms, (page - 1) * size, size)
  const [scores, cards] = [await findScores(people, context), context.cardsOf(context.request)]
  const profiles = people.map((passport, at) => present.presentProfile(passport, scores[at], cards))
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
    response: closed({ scores: Type.Array(schemas.LaterFarcasterScore) }),
    handle: listFarcasterScores,
  }),
  route(LATER, {
    ...SEARCH,
    id: 'later_search',
    query: PARAMETERS,
    handle: (request, context) => searchProfiles(readParameters(queryOf(request)), context),
  }),
  route(LATER, {
    ...SEARCH,
    methods: ['POST'],
    id: 'later_search_by_body',
    body: schemas.LaterSearch,
    errors: ['unsupported_media_type'],
    async handle(request, context) {
      const { bytes } = await readBody(request, context, ['application/json'])
      const response = await searchProfiles(parseJson(bytes), context)
      response.headers.delete('ETag')
      return response
    },
  }),
]
