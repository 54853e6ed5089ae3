import { pageRoute, type RenderedPage } from '../../api/rendered-page.ts'
import type { Route } from '../../api/request.ts'
import { type DatedPlan, phaseAt } from '../../domain/retirement.ts'
import script from '../assets/reference.client.js' with { type: 'text' }
import { file, POLICY } from '../explorer-page.ts'
import { STYLE } from '../layout.ts'
import { renderDeprecation } from './deprecation-page.ts'
import { type ReferenceDocument, referencePath, renderReference, versionsOf } from './reference-page.ts'

type Options = {
  plan: () => DatedPlan
  now: () => number
  explorer: boolean
}

/** `/reference`, `/deprecation` and their files. If the explorer is off, the reference is the start page. */
export function createReferenceRoutes(
  document: ReferenceDocument,
  { plan, now, explorer }: Options,
): Route[] {
  const versions = versionsOf(document)
  const references = versions.map((version) =>
    pageRoute(referencePath(versions, version), createReference(document, version, { plan, now, explorer })),
  )
  const deprecation = cached(POLICY.deprecation, () => renderDeprecation(plan(), now(), explorer))
  return [
    ...references,
    pageRoute('/deprecation', deprecation),
    pageRoute('/style.css', () => STYLE),
    pageRoute('/reference.js', () => SCRIPT),
    ...(explorer ? [] : references.slice(0, 1).map((route) => ({ ...route, path: '/' }))),
  ]
}

/** Rendered again only if the plan or its phase changes. */
function createReference(
  document: ReferenceDocument,
  version: string,
  { plan, now, explorer }: Options,
): () => RenderedPage {
  let page: RenderedPage | undefined
  let key = ''
  return () => {
    const shown = { version, plan: plan(), phase: phaseAt(plan(), now()), explorer }
    const nextKey = JSON.stringify(shown)
    if (!page || nextKey !== key) page = file('text/html', renderReference(document, shown), POLICY.reference)
    key = nextKey
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

const SCRIPT = file('text/javascript', script, POLICY.reference)
