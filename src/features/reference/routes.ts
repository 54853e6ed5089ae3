import Type from 'typebox'
import type { Awaitable } from '../../core/basics/awaitable.ts'
import { createOpenApi } from '../../core/http/openapi.ts'
import { publicOriginOf } from '../../core/http/parse-request.ts'
import { createPage, createPageCache, type RenderedPage } from '../../core/http/rendered-page.ts'
import { JSON_HEADERS } from '../../core/http/response.ts'
import { type DocumentedRoute, isDocumented, pageRoute, type Route } from '../../core/http/route.ts'
import { routesOf } from '../../serve/routes.ts'
import { file, POLICY } from '../../ui/assets-and-csp.ts'
import { callPath, createSite, referencePath, type Site } from '../../ui/site.ts'
import { describePhase, renderDeprecation } from '../retire/page.ts'
import { type DatedPlan, datePlan, NO_PLAN } from '../retire/plan.ts'
import { renderReference, versionsOf } from './page.ts'

type Options = {
  site?: Site
  plan?: () => DatedPlan
  now?: () => number
  compatV2?: boolean
  requireKey?: boolean
  /** Returns the stamp of the active rule set, so that the example works. */
  stamp?: () => Awaitable<string | undefined>
}

/** Bounds the cache, because pages contain the `Host` of the request, and clients can send any number of hosts. */
const MAX_BYTES = 4 * 1024 * 1024

/** Used in examples if `Host` is malformed. */
const EXAMPLE_ORIGIN = 'https://passports.example.com'

const OPENAPI = {
  id: 'getOpenApi',
  summary: 'The OpenAPI document',
  responseHeaders: ['Vary' as const],
  response: Type.Object({}),
}

/** Creates the routes of the API, its reference and its other pages. `createDocument` creates the OpenAPI document. */
export function createReference(version: string, options: Options = {}) {
  const { plan = () => datePlan(NO_PLAN, undefined), now = Date.now, stamp } = options
  const { site = createSite().site } = options
  const api = routesOf(options).map((each) =>
    options.requireKey && each.surface.usesKeys && !each.access ? { ...each, needsKey: true as const } : each,
  )
  const calls = api.filter(isDocumented).filter(({ surface }) => surface.usesKeys)
  const pages = createPageCache(MAX_BYTES)
  const createDocument = () => createOpenApi(version, served)

  async function showReference(request: Request, version?: string, call?: DocumentedRoute) {
    const origin = publicOriginOf(request, site.origin) || EXAMPLE_ORIGIN
    const shown = { version, headline: describePhase(plan(), now()) }
    const { stamp: parameter } = call?.params ?? {}
    // The stamp in the OpenAPI document is only an example: the service may have other rules.
    const example = parameter && (await stamp?.())
    return pages.get(served, JSON.stringify([origin, shown, call?.id, example]), () => {
      const exact = call && example ? { ...call, params: { stamp: { ...parameter, example } } } : call
      const body = renderReference(served, { site: { ...site, origin }, ...shown }, exact)
      return file('text/html', body, POLICY.page)
    })
  }

  function showDeprecation(request: Request) {
    const origin = publicOriginOf(request, site.origin)
    const body = renderDeprecation({ ...site, origin }, plan(), now())
    return pages.get(served, body, () => file('text/html', body, POLICY.page))
  }

  const showDocument = (): Promise<RenderedPage> =>
    pages.get(served, 'openapi', () => createPage(JSON.stringify(createDocument()), JSON_HEADERS))

  const served: readonly Route[] = [
    ...api,
    pageRoute('/openapi.json', showDocument, OPENAPI),
    ...[undefined, ...versionsOf(calls)].map((version) =>
      pageRoute(referencePath(version), (request) => showReference(request, version)),
    ),
    ...calls.map((call) =>
      pageRoute(callPath(call), (request) => showReference(request, call.surface.tag.name, call)),
    ),
    pageRoute('/deprecation', showDeprecation),
    ...(site.explorer ? [] : [pageRoute('/', (request) => showReference(request))]),
  ]
  return { createDocument, routes: served }
}
