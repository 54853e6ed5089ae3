import { createLog } from '../../../src/core/basics/log.ts'
import { createLocalIndex } from '../../../src/core/cli/local-index.ts'
import { readConfig } from '../../../src/core/config/config.ts'
import { createPageCache } from '../../../src/core/http/rendered-page.ts'
import { createRequestCounter } from '../../../src/core/http/request-counter.ts'
import { createPassportExplainer } from '../../../src/core/scoring/explain-score.ts'
import { findRules } from '../../../src/core/scoring/stamped-rule-set.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { servingOf, type UseOfServer } from '../../../src/feature.ts'
import { FEATURES } from '../../../src/features.ts'
import { apiOf, createDocument, siteOf } from '../../../src/serve/serving.ts'
import { NOON } from '../store/records.ts'

/** What the features add to a server thread. */
export const SERVING = await servingOf(FEATURES)

/** All routes that need only the context of a request. */
export const ROUTES = apiOf(SERVING).routes

export const API_ROUTES = ROUTES.filter(({ path }) => path.startsWith('/api/'))

/** The OpenAPI document. */
export const documentOf = (version: string, options: Parameters<typeof apiOf>[1] = {}) =>
  createDocument(apiOf(SERVING, options), version)

/** What a feature gets of a server thread. */
export const useOf = (store: Store): UseOfServer => ({
  config: readConfig({}, {}),
  log: createLog({ write: () => undefined, json: true, now: () => NOON }),
  counter: createRequestCounter(() => NOON),
  clients: {},
  api: apiOf(SERVING),
  notice: () => undefined,
  pages: createPageCache(),
  store,
  index: createLocalIndex(store),
  explain: createPassportExplainer(store),
  rules: () => findRules(store),
  listSources: async () => (await Promise.all(SERVING.map((part) => part.sources?.(store) ?? []))).flat(),
  now: () => NOON,
  site: siteOf(SERVING).site,
  onError: () => undefined,
})
