/**
 * Imports of src that go up, or from a feature to another one. Add none: code that is used above and below belongs below, and a
 * feature gives its parts to the core through its `index.ts`. The keys say what replaces an import.
 */
export const UPWARD_IMPORTS: Record<string, readonly string[]> = {
  'feature to feature': [
    'features/doctor/command.ts imports features/privacy/find-remains.ts',
    'features/mirror/command.ts imports features/records/import-command.ts',
    'features/passports/list.ts imports features/movers/list.ts',
    'features/passports/passport.ts imports features/proof/signed-snapshot-response.ts',
    'features/proof/verify-log.ts imports features/mirror/command.ts',
    'features/webhooks/request.ts imports features/events/routes.ts',
  ],
}
