import type { SiteSettings } from '../../../src/core/config/site-settings.ts'
import { siteOf } from '../../../src/serve/serving.ts'
import { SERVING } from '../program/serving.ts'

export { PALETTE } from '../../../src/ui/tokens.ts'

export const createSite = (settings?: SiteSettings, publicUrl = '', explorer = true) =>
  siteOf(SERVING, { ...(settings && { settings }), publicUrl, explorer })
