import { V3 } from '../core/api/surface.ts'
import { health, readiness } from '../core/http/health.ts'
import { type Route, unknownPaths } from '../core/http/route.ts'
import { diff } from '../features/events/diff.ts'
import { events } from '../features/events/routes.ts'
import { ME_ROUTES } from '../features/own-record/routes.ts'
import { listOfPassports } from '../features/passports/list.ts'
import { lookup } from '../features/passports/lookup.ts'
import { passport } from '../features/passports/passport.ts'
import { scores } from '../features/passports/scores.ts'
import { search } from '../features/passports/search.ts'
import { eventLog } from '../features/proof/log-route.ts'
import { didDocument, jwks } from '../features/proof/well-known.ts'
import { merge, removal, unmerge } from '../features/records/passport-changes.ts'
import { records } from '../features/records/routes.ts'
import { rules } from '../features/rules/routes.ts'
import { V1_ROUTES } from '../features/v1/routes.ts'
import { V2_ROUTES } from '../features/v2/routes.ts'
import { SUBSCRIPTION_ROUTES } from '../features/webhooks/routes.ts'

const NO_PATH = 'There is no such path in v3: /openapi.json and /reference/v3 list the paths.'

const V3_ROUTES = [
  ...[listOfPassports, passport, search, scores, lookup, rules, diff, events, eventLog],
  ...[records, removal, merge, unmerge, ...SUBSCRIPTION_ROUTES, ...ME_ROUTES],
]

/** All routes of the API. */
export const API_ROUTES: readonly Route[] = [
  ...V1_ROUTES,
  ...V2_ROUTES,
  ...V3_ROUTES,
  ...unknownPaths(V3, '/api/v3', 'v3_other', NO_PATH),
]

export const SERVICE_ROUTES: readonly Route[] = [health, readiness, jwks, didDocument]

/** The routes of a server without pages; V2 is optional. */
export const routesOf = ({ compatV2 = true }: { compatV2?: boolean | undefined }): readonly Route[] =>
  [...API_ROUTES, ...SERVICE_ROUTES].filter(({ path }) => compatV2 || !path.startsWith('/api/v2'))
