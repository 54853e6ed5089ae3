export { createReference } from '../../../src/features/reference/routes.ts'
export { createSite } from '../../../src/ui/site.ts'
export { PALETTE } from '../../../src/ui/tokens.ts'
