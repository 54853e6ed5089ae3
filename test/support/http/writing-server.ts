import { adoptRules } from '../../../src/core/scoring/rescore.ts'
import {
  DEFAULT_RULES,
  type Rule,
  type RuleSet,
  stampRules,
} from '../../../src/core/scoring/stamped-rule-set.ts'
import type { Scope } from '../../../src/core/store/api-key.ts'
import { owning } from '../owning.ts'
import type { TestStore } from '../store/engines.ts'
import { applyRules, scoreNow } from '../store/scoring.ts'
import { makeKey } from './keys.ts'
import { serveTest } from './server.ts'

/** The built-in rule set, in which the issuer `github` writes the type `github`. */
export const ISSUER_RULES: RuleSet = stampRules({
  version: DEFAULT_RULES.version,
  types: { ...DEFAULT_RULES.types, github: { ...(DEFAULT_RULES.types.github as Rule), issuer: 'github' } },
})

/** A server of a store, with keys for writing. The end of the block closes both. */
export async function serveWrites(
  store: TestStore,
  options: Parameters<typeof serveTest>[1] = {},
  firstKey = 1,
) {
  await applyRules(store, ISSUER_RULES)
  await adoptRules({ store, rules: ISSUER_RULES })
  const server = serveTest(store, options)
  let seed = firstKey
  const clientWith = async (scopes: readonly Scope[], types: readonly string[] = []) => {
    const { id, init } = await makeKey(store, seed++, { scopes, types })
    return { id, ...createClient(server.get, init.headers) }
  }
  const operator = await clientWith(['read', 'write:*', 'events'])
  const rescore = async () => {
    await scoreNow(store, ISSUER_RULES)
  }
  return owning({ ...server, store, operator, clientWith, rescore }, store, server)
}

type Get = ReturnType<typeof serveTest>['get']

function createClient(get: Get, headers: Record<string, string>) {
  const post = (path: string, body: string, type = 'application/json') =>
    get(path, { method: 'POST', body, headers: { ...headers, 'Content-Type': type } })
  return {
    get: (path: string) => get(path, { headers }),
    delete: (path: string) => get(path, { method: 'DELETE', headers }),
    post,
    /** Sends the records as JSON. */
    write: (records: readonly unknown[], query = '') =>
      post(`/api/v3/records${query}`, JSON.stringify({ records })),
    /** Sends the text as NDJSON. */
    writeLines: (text: string, query = '') => post(`/api/v3/records${query}`, text, 'application/x-ndjson'),
  }
}
