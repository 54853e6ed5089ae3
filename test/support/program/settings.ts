export { readConfig } from '../../../src/core/config/config.ts'
export { DEFAULT_TIERS } from '../../../src/core/config/rate-limit-tier.ts'
export { SETTINGS } from '../../../src/core/config/settings.ts'
export { DEFAULT_SITE, DEMO_SITE } from '../../../src/core/config/site-settings.ts'
