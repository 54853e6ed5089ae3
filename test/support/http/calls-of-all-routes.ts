import { type DocumentedRoute, isDocumented } from '../../../src/core/http/route.ts'
import { adoptRules } from '../../../src/core/scoring/rescore.ts'
import { DEFAULT_RULES } from '../../../src/core/scoring/stamped-rule-set.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { API_ROUTES } from '../program/serving.ts'
import { NOON } from '../store/records.ts'
import { makeKey } from './keys.ts'
import { serveTest } from './server.ts'

/** Values of all path parameters, and of the query parameters that a route needs for a complete response. */
const VALUES: Record<string, string> = {
  id: '7',
  key: '7',
  stamp: DEFAULT_RULES.stamp,
  passport_id: '7',
  fids: '7',
  'query[identity]': '7',
  'query[exactMatch]': 'true',
  q: 'ada',
  type: 'github',
  from: new Date(NOON).toISOString(),
}

/** Ids in the paths of writes: nothing changes after a merge and its undoing. No passport has the removed id. */
const WRITTEN_IDS: Record<string, string> = { v3_removal: '99', v3_merge: '12', v3_unmerge: '12' }

const BODIES: Record<string, string> = {
  v3_lookup: '{"keys":["7"]}',
  v3_records: '{"records":[{"passport":7,"type":"unknown","withdrawn":true}]}',
  v3_merge: '{"into":7}',
}

function toCall(route: DocumentedRoute) {
  const { method = 'GET' } = { method: route.methods?.[0] }
  const names = Object.entries(route.query ?? {}).filter(
    ([name, { required }]) => required || name === 'passport_id' || name.startsWith('query['),
  )
  const query = names.map(([name]) => `${name}=${VALUES[name]}`).join('&')
  const path = route.path.replace(/:(\w+)/g, (_, name) =>
    encodeURIComponent(WRITTEN_IDS[route.name] ?? VALUES[name] ?? ''),
  )
  return {
    route,
    path: query === '' ? path : `${path}?${query}`,
    init: (headers: Record<string, string> = {}): RequestInit => ({
      method,
      ...(method === 'POST' && { body: BODIES[route.name] ?? '{}' }),
      headers: { ...(method === 'POST' && { 'Content-Type': 'application/json' }), ...headers },
    }),
  }
}

/**
 * A request to each documented route of the API. With a key, each request gets 200 from a server of `serveCalls`. Routes of
 * subscriptions and of `/me` are left out, because their responses depend on earlier requests.
 */
export const CALLS = API_ROUTES.filter(isDocumented)
  .filter(({ path }) => !/^\/api\/v3\/(subscriptions|me\b)/.test(path))
  .map(toCall)

/** A server whose store has passport 7 and the built-in rules. */
export async function serveCalls(store: Store, options: Parameters<typeof serveTest>[1] = {}) {
  await adoptRules({ store, rules: DEFAULT_RULES })
  const { id: keyId, key, init } = await makeKey(store, 1, { scopes: ['read', 'events', 'write:*'] })
  return { ...serveTest(store, options), keyId, key, withKey: init.headers }
}
