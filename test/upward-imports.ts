/**
 * Imports of src that go up, or from a feature to another one. Add none: code that is used above and below belongs below, and a
 * feature gives its parts to the core through its `index.ts`. The keys say what replaces an import.
 */
export const UPWARD_IMPORTS: Record<string, readonly string[]> = {
  routes: [
    'core/http/request-metrics.ts imports serve/routes.ts',
    'features/explorer/routes.ts imports features/compare/compare-page.ts',
    'features/explorer/routes.ts imports features/credentials/credential-list.ts',
    'features/explorer/routes.ts imports features/credentials/credential-page.ts',
    'features/explorer/routes.ts imports features/movers/page.ts',
    'features/explorer/routes.ts imports features/own-record/me-page.ts',
    'features/explorer/routes.ts imports features/pictures/badge.ts',
    'features/explorer/routes.ts imports features/pictures/cards.ts',
    'features/explorer/routes.ts imports features/pictures/picture-page.ts',
    'features/explorer/routes.ts imports features/proof/verify-page.ts',
    'features/explorer/sitemap.ts imports serve/routes.ts',
    'features/reference/routes.ts imports serve/routes.ts',
  ],
  guard: [
    'features/reference/routes.ts imports features/retire/page.ts',
    'features/reference/routes.ts imports features/retire/plan.ts',
  ],
  schemas: [
    'core/api/examples.ts imports features/webhooks/schemas.ts',
    'core/api/surface.ts imports features/own-record/schemas.ts',
    'core/api/surface.ts imports features/webhooks/schemas.ts',
  ],
  'styles and scripts of pages': [
    'ui/assets-and-csp.ts imports features/compare/compare.css',
    'ui/assets-and-csp.ts imports features/explorer/passport/passport.client.js',
    'ui/assets-and-csp.ts imports features/explorer/passport/passport.css',
    'ui/assets-and-csp.ts imports features/explorer/passport/passport-sections.css',
    'ui/assets-and-csp.ts imports features/explorer/ranking/ranking.client.js',
    'ui/assets-and-csp.ts imports features/explorer/ranking/ranking.css',
    'ui/assets-and-csp.ts imports features/own-record/me.client.js',
    'ui/assets-and-csp.ts imports features/proof/verify.client.js',
    'ui/assets-and-csp.ts imports features/proof/verify-snapshot.ts',
    'ui/assets-and-csp.ts imports features/reference/reference.client.js',
    'ui/assets-and-csp.ts imports features/reference/reference.css',
    'ui/assets-and-csp.ts imports features/reference/reference-calls.client.js',
    'ui/assets-and-csp.ts imports features/reference/reference-code.client.js',
    'ui/assets-and-csp.ts imports features/reference/reference-layout.css',
  ],
  moves: [
    'core/http/server.ts imports features/keys/usage-counter.ts',
    'ui/error-page.ts imports features/pictures/badge.ts',
    'ui/error-page.ts imports features/pictures/cards.ts',
  ],
  'feature to feature': [
    'features/doctor/command.ts imports features/privacy/find-remains.ts',
    'features/mcp/tools.ts imports features/events/diff.ts',
    'features/mcp/tools.ts imports features/passports/list.ts',
    'features/mirror/command.ts imports features/records/import-command.ts',
    'features/passports/list.ts imports features/movers/list.ts',
    'features/passports/passport.ts imports features/proof/signed-snapshot-response.ts',
    'features/proof/verify-log.ts imports features/mirror/command.ts',
    'features/webhooks/request.ts imports features/events/routes.ts',
  ],
}
