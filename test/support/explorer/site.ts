import { readConfig } from '../../../src/core/config/config.ts'
import type { SiteSettings } from '../../../src/core/config/site-settings.ts'
import { createReference as createRoutes } from '../../../src/features/reference/routes.ts'
import { NO_PLAN, type RetirementPlan } from '../../../src/features/retire/plan.ts'
import { createRetirement } from '../../../src/features/retire/serving.ts'
import { apiOf, createDocument, siteOf } from '../../../src/serve/serving.ts'
import type { Site } from '../../../src/ui/site.ts'
import { SERVING } from '../program/serving.ts'
import { NOON } from '../store/records.ts'

export { PALETTE } from '../../../src/ui/tokens.ts'

export const createSite = (settings?: SiteSettings, publicUrl = '', explorer = true) =>
  siteOf(SERVING, { ...(settings && { settings }), publicUrl, explorer })

type Options = {
  site?: Site
  plan?: () => RetirementPlan
  deprecatedAt?: number
  now?: () => number
  compatV2?: boolean
  compatLater?: boolean
  requireKey?: boolean
  stamp?: string
}

/** The routes of the API, its reference and the page of the retirement, with the guard of frozen versions. */
export function createReference(version: string, options: Options = {}) {
  const { site = createSite().site, plan = () => NO_PLAN, now = () => NOON } = options
  const { deprecatedAt = Date.UTC(2025, 2, 31), stamp } = options
  const api = apiOf(SERVING, options)
  const retirement = createRetirement({ site, now, config: { ...readConfig({}, {}), deprecatedAt } }, plan)
  const reference = createRoutes({
    api,
    site,
    notice: () => retirement.notice?.(),
    rules: () => (stamp === undefined ? Promise.reject(new Error('There are no rules.')) : { stamp }),
    onError: () => undefined,
  })
  return {
    createDocument: () => createDocument(api, version),
    routes: [...api.routes, ...reference, ...(retirement.routes ?? [])],
    guards: retirement.guard ? [retirement.guard] : [],
  }
}
