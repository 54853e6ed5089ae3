import { health, readiness } from './health.ts'
import type { Route } from './route.ts'
import { V1_ROUTES, V2_ROUTES } from './v1/routes.ts'
import { V3_ROUTES } from './v3/routes.ts'

/** All routes of the API. */
export const API_ROUTES: readonly Route[] = [...V1_ROUTES, ...V2_ROUTES, ...V3_ROUTES]

export const SERVICE_ROUTES: readonly Route[] = [health, readiness]

/** The routes of a server without pages; V2 is optional. */
export const routesOf = ({ compatV2 = true }: { compatV2?: boolean | undefined }): readonly Route[] =>
  [...API_ROUTES, ...SERVICE_ROUTES].filter((each) => compatV2 || !V2_ROUTES.includes(each))
