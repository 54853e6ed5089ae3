import { health, readiness } from './health.ts'
import { ME_ROUTES } from './me/routes.ts'
import { eventLog } from './proof/event-log.ts'
import { didDocument, jwks } from './proof/well-known.ts'
import { type Route, unknownPaths } from './route.ts'
import { V1_ROUTES } from './v1/routes.ts'
import { V2_ROUTES } from './v2/routes.ts'
import { diff } from './v3/diff.ts'
import { events } from './v3/events.ts'
import { listOfPassports } from './v3/list.ts'
import { lookup } from './v3/lookup.ts'
import { passport } from './v3/passport.ts'
import { merge, removal, unmerge } from './v3/passport-changes.ts'
import { records } from './v3/records.ts'
import { V3 } from './v3/route-defaults.ts'
import { rules } from './v3/rules.ts'
import { SUBSCRIPTION_ROUTES } from './v3/subscriptions.ts'

const NO_PATH = 'There is no such path in v3: /openapi.json and /reference/v3 list the paths.'

const V3_ROUTES = [
  ...[listOfPassports, passport, lookup, rules, diff, events, eventLog],
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
  [...API_ROUTES, ...SERVICE_ROUTES].filter((each) => compatV2 || !V2_ROUTES.includes(each))
