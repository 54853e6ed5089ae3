import type { Awaitable } from '../../core/basics/awaitable.ts'
import { attempt } from '../../core/basics/errors.ts'
import { publicOriginOf } from '../../core/http/parse-request.ts'
import { createPageCache } from '../../core/http/rendered-page.ts'
import { type DocumentedRoute, isDocumented, pageRoute, type Route } from '../../core/http/route.ts'
import type { Api } from '../../feature.ts'
import { file, POLICY } from '../../ui/assets-and-csp.ts'
import type { Html } from '../../ui/html.ts'
import { callPath, referencePath, type Site } from '../../ui/site.ts'
import { renderReference, sortCalls, versionsOf } from './page.ts'

type Options = {
  api: Api
  site: Site
  /** The active rule set, so that the example works. */
  rules: () => Awaitable<{ stamp: string }>
  notice: () => Html | undefined
  onError: (error: unknown) => void
}

/** Bounds the cache, because pages contain the `Host` of the request, and clients can send any number of hosts. */
const MAX_BYTES = 4 * 1024 * 1024

/** Used in examples if `Host` is malformed. */
const EXAMPLE_ORIGIN = 'https://passports.example.com'

/** The pages of the reference. */
export function createReference({ api, site, rules, notice, onError }: Options): readonly Route[] {
  const calls = sortCalls(api.routes.filter(isDocumented).filter(({ surface }) => surface.usesKeys))
  const pages = createPageCache(MAX_BYTES)

  async function showReference(request: Request, version?: string, call?: DocumentedRoute) {
    const origin = publicOriginOf(request, site.origin) || EXAMPLE_ORIGIN
    const shown = { version, notice: notice() }
    const { stamp: parameter } = call?.params ?? {}
    // The stamp in the OpenAPI document is only an example: the service may have other rules. If the database is
    // unavailable, the page has that one.
    const example = parameter && (await attempt(() => rules(), onError))?.stamp
    return pages.get(api, JSON.stringify([origin, shown, call?.id, example]), () => {
      const exact = call && example ? { ...call, params: { stamp: { ...parameter, example } } } : call
      const body = renderReference(calls, { site: { ...site, origin }, ...shown }, exact)
      return file('text/html', body, POLICY.page)
    })
  }

  return [
    ...[undefined, ...versionsOf(calls)].map((version) =>
      pageRoute(referencePath(version), (request) => showReference(request, version)),
    ),
    ...calls.map((call) =>
      pageRoute(callPath(call), (request) => showReference(request, call.surface.tag.name, call)),
    ),
    ...(site.explorer ? [] : [pageRoute('/', (request) => showReference(request))]),
  ]
}
