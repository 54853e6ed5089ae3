import { attempt, ClientGone, ServiceError } from '../core/basics/errors.ts'
import { pathOf, publicOriginOf, queryOf } from '../core/http/parse-request.ts'
import { prefersJson, sendPage } from '../core/http/rendered-page.ts'
import { type Context, PAGE, type Route, type RouteRequest, route } from '../core/http/route.ts'
import type { ExplorerOptions, ExplorerPage } from './page.ts'

/** Pages by path. */
type Creators = Readonly<Record<string, (options: ExplorerOptions) => ExplorerPage>>

/** The routes of pages for people. */
export const routesOfPages = (options: ExplorerOptions, creators: Creators): Route[] =>
  createRoutes(options, creators, async (show, request, context) => {
    if (prefersJson(request)) throw notAPage(request)
    const response = await show(request, context)
    response.headers.append('Vary', 'Accept, X-API-KEY')
    return response
  })

/** The routes of pictures, feeds and other files that are made of passports. */
export const routesOfFiles = (options: ExplorerOptions, creators: Creators, surface = PAGE): Route[] =>
  createRoutes(options, creators, (show, request, context) => show(request, context), surface)

/** A client that prefers JSON gets an error that names the API path to use instead. */
function notAPage(request: Request): ServiceError {
  const [, folder, ref] = pathOf(request).split('/')
  const path = folder === 'passports' && ref ? `passports/${ref}` : 'passports'
  const advice = `Request JSON from /api/v3/${path}.`
  return new ServiceError('not_acceptable', `This is a page for people. ${advice}`)
}

type Show = (request: RouteRequest, context: Context) => Promise<Response>

const createRoutes = (
  options: ExplorerOptions,
  creators: Creators,
  respond: (show: Show, request: RouteRequest, context: Context) => Promise<Response>,
  surface = PAGE,
): Route[] =>
  Object.entries(creators).map(([path, create]) => {
    const show = createShow(options, create(options))
    return route(surface, {
      path,
      name: 'explorer',
      handle: (request, context) => respond(show, request, context),
    })
  })

/** Renders a page, or sends the cached one. */
function createShow(options: ExplorerOptions, page: ExplorerPage): Show {
  const { index, site, pages, onError } = options
  return async (request, context) => {
    const { params, signal } = request
    const [path, query] = [pathOf(request), queryOf(request)]
    const origin = publicOriginOf(request, site.origin)
    const charge: Context['charge'] = (units, advice) => context.charge(units, advice)
    const pageRequest = { path, params, query, site: { ...site, origin }, signal, charge }
    const version = await page.cacheKey?.(pageRequest)
    const render = () => {
      if (signal.aborted) throw new ClientGone()
      return page.render(pageRequest)
    }
    // While there is no index, pages that do not need it are rendered for each request.
    const current = version === undefined ? undefined : await attempt(() => index.version(), onError)
    if (current === undefined) return sendPage(request, context, await render())
    const key = [path, origin, version].join(' ')
    return sendPage(request, context, await pages.get(current, key, render))
  }
}
