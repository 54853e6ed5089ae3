import { findPage } from '../../catalog/find-page.ts'
import { notFound } from '../../domain/errors.ts'
import { parseKeyword } from '../../domain/keyword.ts'
import { lastPage, parsePageRequest } from '../../domain/page.ts'
import { parsePassportRef } from '../../domain/passport.ts'
import { createPage, type RenderedPage, sendPage } from '../rendered-page.ts'
import { type Context, type DeprecatedVersion, queryOf, type RouteRequest } from '../request.ts'
import { JSON_HEADERS, json } from '../response.ts'

export async function getPassport(
  version: DeprecatedVersion,
  { params }: RouteRequest,
  context: Context,
): Promise<Response> {
  const ref = parsePassportRef(params.id ?? '')
  const passport = ref && (await context.store[version].findPassport(ref))
  if (!passport) throw notFound()
  const response = json(context, passport.body, passport.etag)
  if (passport.merged) response.headers.set('Content-Location', `/api/${version}/passports/${passport.id}`)
  return response
}

/** Pages without a keyword are cached until the snapshot changes. */
export async function listPassports(
  version: DeprecatedVersion,
  request: RouteRequest,
  context: Context,
): Promise<Response> {
  const query = queryOf(request)
  const { page, size } = parsePageRequest(query.get('page'), query.get('per_page'))
  const keyword = parseKeyword(query.get('keyword'))
  await context.takeTurn()
  if (keyword !== undefined) {
    return sendPage(
      request,
      context,
      await renderList(version, context, { page, size, keyword, signal: request.signal }),
    )
  }
  const key = `${version} ${page} ${size}`
  const rendered = await context.pages.get(await context.catalog.current(), key, () =>
    renderList(version, context, { page, size, keyword }),
  )
  return sendPage(request, context, rendered)
}

type ListRequest = { page: number; size: number; keyword: string | undefined; signal?: AbortSignal }

async function renderList(
  version: DeprecatedVersion,
  { store, catalog }: Context,
  request: ListRequest,
): Promise<RenderedPage> {
  const { page, size } = request
  const { items, total } = await findPage({ catalog, store }, request, store[version].listItems)
  const pagination = JSON.stringify({ current_page: page, last_page: lastPage(total, size), total })
  return createPage(`{"passports":[${items.join(',')}],"pagination":${pagination}}`, JSON_HEADERS)
}
