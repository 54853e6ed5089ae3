import { createReference as createRoutes } from '../../../src/features/reference/routes.ts'
import { apiOf } from '../../../src/serve/serving.ts'
import type { Html } from '../../../src/ui/html.ts'
import type { Site } from '../../../src/ui/site.ts'
import { createSite } from '../explorer/site.ts'
import { SERVING } from '../program/serving.ts'

type Options = {
  site?: Site
  notice?: (() => Html | undefined) | undefined
  requireKey?: boolean
  stamp?: string
}

/** The pages of the reference. */
export function createReference({
  site = createSite().site,
  notice = () => undefined,
  requireKey,
  stamp,
}: Options) {
  const rules = () => (stamp === undefined ? Promise.reject(new Error('There are no rules.')) : { stamp })
  const api = apiOf(SERVING, { requireKey })
  return createRoutes({ api, site, notice, rules, onError: () => undefined })
}
