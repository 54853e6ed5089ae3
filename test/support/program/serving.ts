import { servingOf } from '../../../src/feature.ts'
import { FEATURES } from '../../../src/features.ts'
import { apiOf } from '../../../src/serve/serving.ts'

/** What the features add to a server thread. */
export const SERVING = await servingOf(FEATURES)

/** All routes that need only the context of a request. */
export const ROUTES = apiOf(SERVING).routes

export const API_ROUTES = ROUTES.filter(({ path }) => path.startsWith('/api/'))
