import { pageRoute, type RenderedPage } from '../../api/rendered-page.ts'
import { originOf, type Route } from '../../api/request.ts'
import { type DatedPlan, phaseAt } from '../../domain/retirement.ts'
import { parseOrigin } from '../../domain/url.ts'
import type { Awaitable } from '../../store/store.ts'
import { file, POLICY } from '../explorer-page.ts'
import type { Site } from '../site/site.ts'
import { renderDeprecation } from './deprecation-page.ts'
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

/** `/reference` and `/deprecation`. If the explorer is off, the reference is the start page. */
export function createReferenceRoutes(document: ReferenceDocument, options: Options): Route[] {
  const { site, plan, now, explorer } = options
  const versions = versionsOf(document)
  const references = versions.map((version) =>
    pageRoute(referencePath(versions, version), createReference(document, version, options)),
  )
  const deprecation = cached(POLICY.deprecation, () => renderDeprecation(site, plan(), now(), explorer))
  return [
    ...references,
    pageRoute('/deprecation', deprecation),
    ...(explorer ? [] : references.slice(0, 1).map((route) => ({ ...route, path: '/' }))),
  ]
}

/** Origins come from `Host` headers: clients can send any number of them. */
const MAX_PAGES = 8

/** Used if `Host` is malformed. */
const EXAMPLE_ORIGIN = 'https://passports.example.com'

/** Rendered once for each origin, until the plan or its phase changes. */
function createReference(
  document: ReferenceDocument,
  version: string,
  { site, plan, now, explorer, stamp = () => undefined }: Options,
): (request: Request) => Promise<RenderedPage> {
  const pages = new Map<string, RenderedPage>()
  return async (request) => {
    const origin = site.origin || (parseOrigin(originOf(request))?.origin ?? EXAMPLE_ORIGIN)
    const shown = { version, plan: plan(), phase: phaseAt(plan(), now()), explorer, stamp: await stamp() }
    const key = JSON.stringify([origin, shown])
    const page =
      pages.get(key) ??
      file('text/html', renderReference(document, { site: { ...site, origin }, ...shown }), POLICY.reference)
    if (pages.size === MAX_PAGES && !pages.has(key)) pages.clear()
    pages.set(key, page)
    return page
  }
}

/** Reuses the page and its compressed bodies until its content changes. */
function cached(policy: string, render: () => string): () => RenderedPage {
  let page: RenderedPage | undefined
  return () => {
    const body = render()
    if (page?.body !== body) page = file('text/html', body, policy)
    return page
  }
}
