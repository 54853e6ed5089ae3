import { createPageCache } from '../../api/page-cache.ts'
import { pageRoute, type RenderedPage } from '../../api/rendered-page.ts'
import { originOf, type Route } from '../../api/request.ts'
import type { DatedPlan } from '../../domain/retirement.ts'
import { parseOrigin } from '../../domain/url.ts'
import type { Awaitable } from '../../store/store.ts'
import { file, POLICY } from '../explorer-page.ts'
import type { Site } from '../site/site.ts'
import { describePhase, renderDeprecation } from './deprecation-page.ts'
import { type ReferenceDocument, referencePath, versionsOf } from './document.ts'
import { renderReference } from './reference-page.ts'

type Options = {
  site: Site
  plan: () => DatedPlan
  now: () => number
  explorer: boolean
  /** The stamp of the active rule set, as an example that works. */
  stamp?: () => Awaitable<string | undefined>
}

/** Origins come from `Host` headers: clients can send any number of them. */
const MAX_BYTES = 4 * 1024 * 1024

/** Used if `Host` is malformed. */
const EXAMPLE_ORIGIN = 'https://passports.example.com'

/** `/reference` and `/deprecation`. If the explorer is off, the reference is the start page. */
export function createReferenceRoutes(document: ReferenceDocument, options: Options): Route[] {
  const { site, plan, now, explorer, stamp = () => undefined } = options
  const versions = versionsOf(document)
  const pages = createPageCache(MAX_BYTES)

  async function showReference(request: Request, version: string): Promise<RenderedPage> {
    const origin = site.origin || (parseOrigin(originOf(request))?.origin ?? EXAMPLE_ORIGIN)
    const shown = { version, headline: describePhase(plan(), now()), explorer, stamp: await stamp() }
    return pages.get(document, JSON.stringify([origin, shown]), () =>
      file('text/html', renderReference(document, { site: { ...site, origin }, ...shown }), POLICY.reference),
    )
  }

  const references = versions.map((version) =>
    pageRoute(referencePath(versions, version), (request) => showReference(request, version)),
  )
  return [
    ...references,
    pageRoute('/deprecation', () => {
      const body = renderDeprecation(site, plan(), now(), explorer)
      return pages.get(document, body, () => file('text/html', body, POLICY.deprecation))
    }),
    ...(explorer ? [] : references.slice(0, 1).map((route) => ({ ...route, path: '/' }))),
  ]
}
