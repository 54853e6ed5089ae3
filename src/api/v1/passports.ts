import { CHUNK, type FindRequest, findPage, mapChunks } from '../../catalog/find-list.ts'
import { notFound } from '../../domain/errors.ts'
import { lastPage, parseKeyword, parsePageRequest } from '../../domain/lists/list-request.ts'
import { parsePassportRef } from '../../domain/passport.ts'
import { renderLarge } from '../backpressure/backpressure.ts'
import { createPage, type RenderedPage, sendPage } from '../rendered-page.ts'
import { queryOf } from '../request.ts'
import { JSON_HEADERS, json } from '../response.ts'
import type { Context, RouteRequest } from '../route.ts'

export type DeprecatedVersion = 'v1' | 'v2'

export async function getPassport(
  version: DeprecatedVersion,
  { params }: RouteRequest<'id'>,
  context: Context,
) {
  const ref = parsePassportRef(params.id)
  const passport = ref && (await context.store[version].findPassport(ref))
  if (!passport) throw notFound()
  const response = json(context, passport.body, passport.etag)
  if (passport.merged) response.headers.set('Content-Location', `/api/${version}/passports/${passport.id}`)
  return response
}

/** Pages without a keyword are cached until the snapshot changes. */
export async function listPassports(version: DeprecatedVersion, request: Request, context: Context) {
  const query = queryOf(request)
  const { page, size } = parsePageRequest(query.get('page'), query.get('per_page'))
  const keyword = parseKeyword(query.get('keyword'))
  // The signal is created on demand: a cached page needs none.
  const render = () => renderList(version, context, { page, size, keyword, signal: request.signal })
  const find = async () =>
    keyword === undefined
      ? context.pages.get(await context.catalog.current(), `${version} ${page} ${size}`, render)
      : render()
  const respond = async () => sendPage(request, context, await find())
  return size > CHUNK ? renderLarge(context, respond) : respond()
}

async function renderList(version: DeprecatedVersion, { store, catalog }: Context, request: FindRequest) {
  const { page, size } = request
  const { items, total } = await findPage({ catalog, store }, request, store[version].listItems)
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

/** A request that names no passport gets an empty list. */
export async function listCredentials(request: Request, context: Context): Promise<Response> {
  const query = queryOf(request)
  const named = query.get('passport_id') ?? query.get('id') ?? ''
  if (named === '') return json(context, '{"passport_credentials":[]}')
  const ref = parsePassportRef(named)
  const credentials = ref && (await context.store.v1.findCredentials(ref))
  if (!credentials) throw notFound()
  return json(context, credentials.body, credentials.etag)
}
