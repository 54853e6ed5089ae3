import Type from 'typebox'
import { UNKNOWN_PATHS } from '../core/api/surface.ts'
import { VERSION } from '../core/basics/version.ts'
import { health, readiness } from '../core/http/health.ts'
import { createOpenApi } from '../core/http/openapi.ts'
import { createPage, type RenderedPage } from '../core/http/rendered-page.ts'
import { JSON_HEADERS } from '../core/http/response.ts'
import { type Examples, pageRoute, type Route } from '../core/http/route.ts'
import type { Api, ServedVersions, Serving, Started, UseOfServer } from '../feature.ts'
import type { Html } from '../ui/html.ts'
import { createSite } from '../ui/site.ts'

type ApiOptions = ServedVersions & { requireKey?: boolean | undefined }

/** The calls of the API and the files for programs. Unknown paths are after all others. */
export function apiOf(parts: readonly Serving[], options: ApiOptions = {}): Api {
  const served = parts.filter(({ isServed }) => isServed?.(options) ?? true)
  const all = [...served.flatMap(({ routes = [] }) => routes), ...UNKNOWN_PATHS, health, readiness]
  const examples: Record<string, Examples> = Object.assign({}, ...served.map((part) => part.examples))
  const routes = all.map((route) => ({
    ...route,
    alternatives: alternativesOf(route, all),
    examples: examples[route.id ?? ''] ?? {},
    ...(options.requireKey && route.surface.usesKeys && !route.access && { needsKey: true as const }),
  }))
  const api: Api = {
    routes: [...routes, createDocumentRoute(() => createDocument(api))],
    schemas: Object.assign({}, ...parts.map(({ schemas }) => schemas)),
  }
  return api
}

export const createDocument = ({ routes, schemas }: Api, version = VERSION) =>
  createOpenApi(version, routes, schemas)

function createDocumentRoute(create: () => object): Route {
  let page: RenderedPage | undefined
  const showDocument = () => {
    page ??= createPage(JSON.stringify(create()), JSON_HEADERS)
    return page
  }
  return pageRoute('/openapi.json', showDocument, {
    id: 'getOpenApi',
    summary: 'The OpenAPI document',
    responseHeaders: ['Vary'],
    response: Type.Object({}),
  })
}

/** Another feature can respond to a documented path with a further content type. */
function alternativesOf({ path, methods }: Route, all: readonly Route[]): NonNullable<Route['alternatives']> {
  const others = all.filter((route) => route.path === path && route.methods === methods)
  return Object.assign({}, ...others.map(({ alternatives }) => alternatives))
}

type SiteOptions = Parameters<typeof createSite>[0]

/** The site with what the features add to its pages. */
export const siteOf = (parts: readonly Serving[], options: SiteOptions = {}) =>
  createSite({
    ...options,
    styles: parts.flatMap(({ styles = [] }) => styles),
    assets: parts.flatMap(({ assets = [] }) => assets),
    links: parts.flatMap(({ links = [] }) => links),
  })

/** Starts the features: all routes of a server except those of the site, with the guards and the jobs. */
export async function startServing(
  parts: readonly Serving[],
  options: Omit<UseOfServer, 'notice' | 'listSources'>,
): Promise<Required<Pick<Started, 'routes' | 'jobs'>> & { guards: NonNullable<Started['guard']>[] }> {
  const notices: (() => Html)[] = []
  const listSources = async () =>
    (await Promise.all(parts.map(async ({ sources }) => (await sources?.(options.store)) ?? []))).flat()
  const use = { ...options, listSources, notice: () => notices[0]?.() }
  const started = await Promise.all(parts.flatMap(({ start }) => (start ? [start(use)] : [])))
  notices.push(...started.flatMap(({ notice }) => notice ?? []))
  const pages = use.site.explorer ? parts.flatMap((part) => part.pages?.(use) ?? []) : []
  return {
    routes: [...use.api.routes, ...started.flatMap(({ routes = [] }) => routes), ...pages],
    guards: started.flatMap(({ guard }) => guard ?? []),
    jobs: started.flatMap(({ jobs = [] }) => jobs),
  }
}
