import type { TSchema } from 'typebox'
import { type Awaitable, andThen } from '../../core/basics/awaitable.ts'
import { notFound } from '../../core/basics/errors.ts'
import { takeTurn } from '../../core/http/byte-budget.ts'
import { ErrorBody, presentError } from '../../core/http/errors.ts'
import { COMMON_ERRORS, COMMON_HEADERS } from '../../core/http/openapi-parts.ts'
import { queryOf } from '../../core/http/parse-request.ts'
import { createPage, type RenderedPage, sendPage } from '../../core/http/rendered-page.ts'
import { JSON_HEADERS, json } from '../../core/http/response.ts'
import { type Context, type Route, type RouteRequest, route, type Surface } from '../../core/http/route.ts'
import { unknownPaths } from '../../core/http/unknown-path.ts'
import {
  lastPage,
  type PageRequest,
  parseKeyword,
  parsePageNumber,
  parsePageSize,
  RANKING,
} from '../../core/lists/list-request.ts'
import { parsePassportRef } from '../../core/passport/passport.ts'
import * as recordSchemas from '../../core/passport/wire-schemas.ts'
import type { Data } from '../../core/store/data.ts'
import { mapChunks } from './chunks.ts'
import * as v1Schemas from './schemas.ts'
import { type Bodies, CREDENTIAL_BODIES, V1_BODIES } from './statements.ts'

/** A version of the API, and the data of its responses. */
type Version = { name: 'v1' | 'v2'; bodies: Data<Bodies> }

const VERSION: Version = { name: 'v1', bodies: V1_BODIES }

export const V1: Surface = {
  usesKeys: true,
  presentError,
  retires: 'V1',
  ignoresSlash: true,
  tag: {
    name: 'V1',
    description:
      'V1 is read-only and deprecated: it keeps working for existing clients and gets no new features. No field is ever null: unknown text is `""`, an unknown list `[]`, an unknown number `0`.',
  },
  headers: [...COMMON_HEADERS, 'Deprecation', 'Link', 'RateLimit', 'RateLimit-Policy', 'Sunset'],
  errors: [...COMMON_ERRORS, 'unauthorized', 'forbidden', 'rate_limited', 'removed', 'unavailable'],
  errorSchema: ErrorBody,
  schemas: { ...recordSchemas, ...v1Schemas, ErrorBody },
}

const positive = (fallback: number) => ({ type: 'integer', minimum: 1, default: fallback })

export const PARAMETERS = {
  list: {
    keyword: {
      description:
        'Only passports whose `display_name` contains this text, ignoring case, accents and repeated white space. Blank: no filter.',
      schema: { type: 'string', maxLength: 200 },
    },
    page: {
      description: 'Page number, from 1. Past the last page the list is empty.',
      schema: positive(1),
    },
    per_page: {
      description: 'Passports per page. Values above 250 count as 250.',
      schema: positive(25),
    },
  },
  passport: {
    id: {
      description:
        'Digits only: a passport id. Otherwise: its main wallet or any verified wallet; `0x` addresses in any letter case.',
      example: '42',
    },
  },
  credentials: {
    passport_id: {
      description: 'A passport id or a wallet. If it is absent or empty, the list is empty.',
      example: '42',
    },
    id: { description: 'Used if `passport_id` is absent.' },
  },
}

export const V1_ROUTES = [
  ...createRoutes(VERSION, V1, {
    list: v1Schemas.PassportListBody,
    passport: v1Schemas.PassportBody,
    listParameters: PARAMETERS.list,
    handleList: (request, context) => listPassports(VERSION, request, context),
  }),
  ...unknownPaths(V1, '/api/v1', 'other'),
]

/** The response schemas of a version, and its list. */
type Differences = {
  list: TSchema
  passport: TSchema
  listParameters: NonNullable<Route['query']>
  handleList: (request: Request, context: Context) => Promise<Response>
}

export function createRoutes(version: Version, surface: Surface, bodies: Differences): readonly Route[] {
  const base = `/api/${version.name}`
  const [prefix, suffix, title] = version.name === 'v1' ? ['', '', ''] : ['v2_', 'V2', ' (V2)']
  return [
    route(surface, {
      name: `${prefix}list`,
      path: `${base}/passports`,
      id: `listPassports${suffix}`,
      summary: `List passports by score${title}`,
      description: 'Highest score first, equal scores by `passport_id`. Unknown parameters are ignored.',
      query: bodies.listParameters,
      responseHeaders: ['Vary'],
      response: bodies.list,
      handle: bodies.handleList,
    }),
    route(surface, {
      name: `${prefix}passport`,
      path: `${base}/passports/:id`,
      isImmediate: true,
      id: `getPassport${suffix}`,
      summary: `Get a passport by id or wallet${title}`,
      description:
        'For a passport that was merged into another, the response is the surviving passport, named in `Content-Location`.',
      params: PARAMETERS.passport,
      responseHeaders: ['Content-Location'],
      response: bodies.passport,
      errors: ['not_found'],
      handle: (request, context) => getPassport(version, request, context),
    }),
    route(surface, {
      name: `${prefix}credentials`,
      path: `${base}/passport_credentials`,
      isImmediate: true,
      id: `listCredentials${suffix}`,
      summary: `List the credentials of a passport${title}`,
      description: 'Highest score first, then by name, then by id.',
      query: PARAMETERS.credentials,
      response: v1Schemas.CredentialListBody,
      errors: ['not_found'],
      handle: listCredentials,
    }),
  ]
}

function getPassport(version: Version, request: RouteRequest<'id'>, context: Context): Awaitable<Response> {
  const ref = parsePassportRef(request.params.id)
  if (!ref) throw notFound()
  const cards = cardsOf(version, request, context)
  return andThen(context.store.data(version.bodies).findPassport(ref, cards), (passport) => {
    if (!passport) throw notFound()
    const response = json(context, passport.body)
    if (passport.merged)
      response.headers.set('Content-Location', `/api/${version.name}/passports/${passport.id}`)
    return response
  })
}

/** V1 shows no images. */
const cardsOf = (version: Version, request: Request, context: Context) =>
  version.name === 'v1' ? '' : context.cardsOf(request)

/** In V2, `search` is another name of `keyword`. */
function parseListQuery(version: Version, query: URLSearchParams) {
  const name = version.name === 'v2' && !query.get('keyword') ? 'search' : 'keyword'
  return parseKeyword(query.get(name), name)
}

/** In V2, `limit` is another name of `per_page`. */
export function parsePage(version: Version, query: URLSearchParams) {
  const name = version.name === 'v2' && !query.get('per_page') ? 'limit' : 'per_page'
  return { page: parsePageNumber(query.get('page')), size: parsePageSize(name, query.get(name)) }
}

/** Pages without a keyword are cached until the index changes. */
export async function listPassports(version: Version, request: Request, context: Context) {
  const query = queryOf(request)
  const { page, size } = parsePage(version, query)
  const keyword = parseListQuery(version, query)
  const cards = cardsOf(version, request, context)
  const render = async () => {
    const listRequest = { ...RANKING, keyword, limit: size, offset: (page - 1) * size }
    // The signal is created on demand: a cached page needs none.
    const { ids, total } = await context.index.call('list', { request: listRequest }, request.signal)
    await takeTurn(context, ids.length * ITEM_BYTES[version.name])
    const list = (some: readonly number[]) => context.store.data(version.bodies).listItems(some, cards)
    return renderListPage((await mapChunks(ids, list)).flat(), { page, size }, total)
  }
  const find = async () =>
    keyword === undefined
      ? context.pages.get(await context.index.version(), `${version.name} ${page} ${size} ${cards}`, render)
      : render()
  return sendPage(request, context, await find())
}

/** The most that a passport takes in a list. */
export const ITEM_BYTES = { v1: 32_000, v2: 48_000 }

export async function renderListPage(items: readonly string[], { page, size }: PageRequest, total: number) {
  const pagination = JSON.stringify({ current_page: page, last_page: lastPage(total, size), total })
  return createPage(await joinList(items, `],"pagination":${pagination}}`), JSON_HEADERS)
}

const START = '{"passports":['

/** Longer lists are joined in chunks, because joining them at once takes several milliseconds. */
const LARGE_LENGTH = 1024 * 1024

async function joinList(items: readonly string[], end: string): Promise<RenderedPage['body']> {
  const length = items.reduce((sum, item) => sum + item.length, 0)
  if (length < LARGE_LENGTH) return `${START}${items.join(',')}${end}`
  const chunks = await mapChunks(items, (chunk, at) =>
    Buffer.from(`${at === 0 ? START : ','}${chunk.join(',')}`),
  )
  return Buffer.concat([...chunks, Buffer.from(end)])
}

function listCredentials(request: Request, context: Context): Awaitable<Response> {
  const query = queryOf(request)
  const text = query.get('passport_id') ?? query.get('id') ?? ''
  return text === '' ? json(context, '{"passport_credentials":[]}') : getCredentials(text, context)
}

export function getCredentials(text: string, context: Context): Awaitable<Response> {
  const ref = parsePassportRef(text)
  if (!ref) throw notFound()
  return andThen(context.store.data(CREDENTIAL_BODIES).find(ref), (body) => {
    if (body === undefined) throw notFound()
    return json(context, body)
  })
}
