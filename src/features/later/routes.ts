import Type, { type TSchema } from 'typebox'
import { PAGE_BYTES } from '../../core/api/read-passports.ts'
import { parseJson, readBody } from '../../core/api/request-body.ts'
import { invalidParameter } from '../../core/basics/errors.ts'
import { closed } from '../../core/basics/schema-helpers.ts'
import { queryOf } from '../../core/http/parse-request.ts'
import { acceptsHtml } from '../../core/http/rendered-page.ts'
import { json } from '../../core/http/response.ts'
import { type Context, type Parameters, type Route, route, type Surface } from '../../core/http/route.ts'
import { lastPage, parsePageNumber, parsePageSize } from '../../core/lists/list-request.ts'
import { ITEM_BYTES, V1 } from '../v1/routes.ts'
import { Pagination } from '../v1/schemas.ts'
import { findOne, findPeople, parseNamed, toPeople } from './find.ts'
import type { Person } from './present.ts'
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

const NAMED: Parameters = {
  id: { description: 'A wallet, a passport id, or a handle of any source, in this order.', example: '42' },
  wallet: { description: 'Instead of `id`: a wallet.' },
  account_source: { description: 'The source of the handle in `id`, such as `farcaster`, or `wallet`.' },
  source: { description: 'Used if `account_source` is absent.' },
}

const SLUGS = {
  slug: { description: 'Only this type.' },
  slugs: { description: 'Only these types, comma-separated.' },
}
const SCORER = { scorer_slug: { description: '`builder_score`, the only score.' } }

/** A page of the explorer has the same path. Whoever prefers it gets it, unless the request names a person or has a key. */
const wantsJson = (request: Request) =>
  !acceptsHtml(request) || request.headers.has('x-api-key') || queryOf(request).has('id')

type Call = {
  member: TSchema
  present: (person: Person) => unknown
  /** Another name of the member. */
  also?: string
  /** The parameters of the v3 call that replaces it. */
  instead?: string
  query?: Parameters
  isFor?: NonNullable<Route['isFor']>
}

/** The calls about one person, by the member of their responses. */
const CALLS: Readonly<Record<string, Call>> = {
  score: { member: schemas.LaterScore, present: present.presentScore, query: SCORER },
  scores: {
    member: Type.Array(schemas.LaterScore),
    present: (person) => [present.presentScore(person)],
    query: SCORER,
  },
  profile: { member: schemas.LaterProfile, present: present.presentProfile },
  credentials: {
    member: Type.Array(schemas.LaterCredential),
    present: present.presentCredentials,
    ...{ instead: '?include=credentials', query: SLUGS, isFor: wantsJson },
  },
  socials: {
    member: Type.Array(schemas.LaterSocial),
    present: ({ passport }) => passport.socials.map(present.presentSocial),
  },
  human_checkmark: {
    member: Type.Boolean(),
    present: ({ passport }) => passport.human,
    ...{ also: 'humanity_verified', instead: '?select=human_checkmark' },
  },
  accounts: { member: Type.Array(schemas.LaterAccount), present: present.presentAccounts },
  data_points: {
    member: Type.Array(schemas.LaterDataPoint),
    present: present.presentDataPoints,
    ...{ instead: '?include=explanation', query: SLUGS },
  },
}

function createRoute([name, { member, present, also = name, instead = '', query, ...rest }]: [string, Call]) {
  const bodyOf = <Value>(value: Value) => ({ [name]: value, [also]: value })
  return route(LATER, {
    ...{ name: `later_${name}`, id: `later_${name}`, path: `/${name}`, ...rest },
    summary: `Get the ${name.replaceAll('_', ' ')} of a person`,
    description: `Replaced by \`GET /api/v3/passports/{key}${instead}\`.`,
    query: { ...NAMED, ...query },
    response: closed(bodyOf(member)),
    async handle(request, context) {
      const asked = queryOf(request)
      checkScorer(asked.get('scorer_slug') ?? '')
      const [person] = await toPeople(context, [await findOne(context, parseNamed(asked))])
      const { id } = (person as Person).passport
      const isExplained = name === 'data_points'
      if (isExplained) await context.budget.take(context, PAGE_BYTES)
      const lines = isExplained ? (await context.explain({ id }))?.lines : []
      const value = select(present({ ...(person as Person), lines: lines ?? [] }), asked)
      return json(context, JSON.stringify(bodyOf(value)))
    },
  })
}

/** Of a list, the items of the types that the query names. */
function select(value: unknown, query: URLSearchParams): unknown {
  const slugs = `${query.get('slugs') ?? ''},${query.get('slug') ?? ''}`.split(',').filter(Boolean)
  const isNamed = ({ slug }: { slug: string }) => slugs.includes(slug)
  return Array.isArray(value) && slugs.length > 0 ? value.filter(isNamed) : value
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

async function search(given: unknown, context: Context): Promise<Response> {
  const asked = parseSearch(given)
  const page = parsePageNumber(`${asked.page ?? ''}`)
  const size = parsePageSize('per_page', `${asked.per_page ?? ''}`)
  await context.budget.take(context, size * ITEM_BYTES.v1)
  const { people, total } = await findPage(context, asked, (page - 1) * size, size)
  const profiles = (await toPeople(context, people)).map(present.presentProfile)
  const pagination = { current_page: page, last_page: lastPage(total, size), total }
  return json(context, JSON.stringify({ profiles, pagination }))
}

const MOST_FIDS = 100

async function listFarcasterScores(request: Request, context: Context): Promise<Response> {
  const query = queryOf(request)
  checkScorer(query.get('scorer_slug') ?? '')
  const fids = (query.get('fids') ?? '').split(',').map((fid) => fid.trim())
  if (fids.length > MOST_FIDS || !fids.every((fid) => /^\d{1,15}$/.test(fid)))
    throw invalidParameter('fids', `fids must be 1 to ${MOST_FIDS} Farcaster ids, separated by commas.`)
  context.charge(Math.ceil(fids.length / 10))
  const scores = []
  for (const fid of fids) {
    const found = await findPeople(context, { name: fid, source: 'farcaster' })
    const [person] = found.length === 1 ? await toPeople(context, found) : []
    if (person) scores.push({ fid: Number(fid), ...present.presentScore(person) })
  }
  return json(context, JSON.stringify({ scores }))
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
    response: closed({
      scores: Type.Array(closed({ fid: Type.Integer(), ...schemas.LaterScore.properties })),
    }),
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
    },
    handle: (request, context) => search(readParameters(queryOf(request)), context),
  }),
  route(LATER, {
    ...SEARCH,
    methods: ['POST'],
    id: 'later_search_by_body',
    body: schemas.LaterSearch,
    errors: ['unsupported_media_type'],
    async handle(request, context) {
      const { bytes } = await readBody(request, context, ['application/json'])
      const response = await search(parseJson(bytes), context)
      response.headers.delete('ETag')
      return response
    },
  }),
]
