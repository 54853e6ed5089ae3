import { ClientGone, ServiceError } from '../../core/basics/errors.ts'
import { pathOf, publicOriginOf, queryOf } from '../../core/http/parse-request.ts'
import { createPageCache, prefersJson, sendPage } from '../../core/http/rendered-page.ts'
import type { Context, Route, RouteRequest, Surface } from '../../core/http/route.ts'
import { PAGE, PICTURE, route, unknownPaths } from '../../core/http/route.ts'
import { createErrorPages } from '../../ui/error-page.ts'
import { SITE_CARD } from '../../ui/layout.ts'
import { ifReady } from '../../ui/not-ready.ts'
import type { ExplorerOptions, ExplorerPage, ExplorerRequest } from '../../ui/page.ts'
import { createComparePage } from '../compare/compare-page.ts'
import { createCredentialList } from '../credentials/credential-list.ts'
import { createCredentialPage } from '../credentials/credential-page.ts'
import { createMoversFeed, createMoversPage } from '../movers/page.ts'
import { createMeRoutes } from '../own-record/me-page.ts'
import { createBadge } from '../pictures/badge.ts'
import { createCard, createCardDrawer, createSiteCard } from '../pictures/cards.ts'
import { createIcon } from '../pictures/picture-page.ts'
import { createVerifyPage } from '../proof/verify-page.ts'
import { createAboutPage } from './about-page.ts'
import { createCredentialsPage } from './passport/passport-credentials.ts'
import { createExplanationPage } from './passport/passport-explanation.ts'
import { createPassportPage } from './passport/passport-page.ts'
import { createRankingPage } from './ranking/ranking-page.ts'
import { createSitemap, createSitemapIndex } from './sitemap.ts'

type CreatePage = (options: ExplorerOptions) => ExplorerPage

const PAGES: Record<string, CreatePage> = {
  '/': createRankingPage,
  '/passports/:ref': createPassportPage,
  '/passports/:ref/score': createExplanationPage,
  '/passports/:ref/credentials': createCredentialsPage,
  '/credentials': createCredentialList,
  '/credentials/:type': createCredentialPage,
  '/compare': createComparePage,
  '/about': createAboutPage,
  '/movers': createMoversPage,
  '/verify': createVerifyPage,
}

const XML_FILES: Record<string, CreatePage> = {
  '/movers.atom': createMoversFeed,
  '/sitemap.xml': createSitemapIndex,
  '/sitemap/:file': createSitemap,
}

const PICTURES: Record<string, CreatePage> = {
  '/badge/:file': createBadge,
  '/card/:file': createCard,
  [SITE_CARD]: createSiteCard,
  '/favicon.ico': createIcon,
}

export function createExplorer(options: ExplorerOptions) {
  const { index, site } = options
  const drawCard = createCardDrawer(options)
  const pages = createPageCache()

  async function show(page: ExplorerPage, request: RouteRequest, context: Context): Promise<Response> {
    const { params, signal } = request
    const [path, query] = [pathOf(request), queryOf(request)]
    const origin = publicOriginOf(request, site.origin)
    const charge: Context['charge'] = (units, advice) => context.charge(units, advice)
    const asked = { path, params, query, site: { ...site, origin }, signal, charge }
    const shown: ExplorerRequest = { ...asked, drawCard: (draw) => drawCard(asked, draw) }
    const version = await page.cacheKey?.(shown)
    const render = () => {
      if (signal.aborted) throw new ClientGone()
      return page.render(shown)
    }
    // While there is no index, pages that do not need it are rendered for each request.
    const current = version === undefined ? undefined : await ifReady(options, async () => index.version())
    if (current === undefined) return sendPage(request, context, await render())
    const key = [path, origin, version].join(' ')
    return sendPage(request, context, await pages.get(current, key, render))
  }

  /** A client that prefers JSON gets an error that names the API path to use instead. */
  async function showHtml(page: ExplorerPage, request: RouteRequest, context: Context): Promise<Response> {
    if (prefersJson(request)) {
      const [, folder, ref] = pathOf(request).split('/')
      const path = folder === 'passports' && ref ? `passports/${ref}` : 'passports'
      const advice = `Request JSON from /api/v3/${path}.`
      throw new ServiceError('not_acceptable', `This is a page for people. ${advice}`)
    }
    const response = await show(page, request, context)
    response.headers.append('Vary', 'Accept, X-API-KEY')
    return response
  }

  const toRoutes = (surface: Surface, creators: Record<string, CreatePage>, handle: typeof show): Route[] =>
    Object.entries(creators).map(([path, create]) => {
      const page = create(options)
      const respond = (request: RouteRequest, context: Context) => handle(page, request, context)
      return route(surface, { path, name: 'explorer', handle: respond })
    })

  return {
    routes: [
      ...toRoutes(PAGE, PAGES, showHtml),
      ...createMeRoutes(options),
      ...toRoutes(PAGE, XML_FILES, show),
      ...toRoutes(PICTURE, PICTURES, show),
      // Unknown paths in these folders respond with the 404 page.
      ...['/passports', '/badge', '/card'].flatMap((path) => unknownPaths(PAGE, path, 'explorer')),
    ],
    ...createErrorPages(site),
  }
}
