import { adoptRules } from '../../../src/core/scoring/rescore.ts'
import {
  DEFAULT_RULES,
  type Rule,
  type RuleSet,
  stampRules,
} from '../../../src/core/scoring/stamped-rule-set.ts'
import type { Scope } from '../../../src/core/store/api-key.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { owning } from '../owning.ts'
import type { TestStore } from '../store/engines.ts'
import { applyRules, scoreNow } from '../store/scoring.ts'
import { makeKey } from './keys.ts'
import { type Reply, type ServerOptions, serveRecords, serveTest } from './server.ts'

export const LIST = '/api/v3/passports'

/** A server with these tiers; X-Forwarded-For sets the client address. */
export async function limited(tiers: string, options: ServerOptions = {}) {
  const server = await serveRecords({ tiers, trustedProxies: ['127.0.0.1'], ...options })
  const from = (address: string, headers: Record<string, string> = {}) => ({
    headers: { 'X-Forwarded-For': address, ...headers },
  })
  return {
    ...server,
    /** Sends a request without a key from this client address. */
    anonymous: (path = LIST, address = '192.0.2.1', headers = {}) => server.get(path, from(address, headers)),
    with: (key: string, path = LIST, headers = {}) =>
      server.get(path, from('192.0.2.1', { 'X-API-KEY': key, ...headers })),
    makeKey: async (seed: number, tier: string) => (await makeKey(server.store, seed, { tier })).key,
  }
}

/** Status and rate-limit headers. */
export const fields = ({ status, headers }: Reply) => [
  status,
  headers.get('RateLimit-Policy'),
  headers.get('RateLimit'),
  headers.get('Retry-After'),
]

export const LOOKUP = '/api/v3/lookup'
export const JSON_BODY = { 'Content-Type': 'application/json' }

export const post = (key: string, body: string | ReadableStream, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { ...JSON_BODY, 'X-API-KEY': key, ...headers },
  body,
})

/** The bytes of a lookup request. `length` is the Content-Length, which may be more than `body` has. */
export const rawLookup = (key: string, body: string, { more = '', length = body.length } = {}) =>
  `POST ${LOOKUP} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${key}\r\nContent-Type: application/json\r\n${more}Content-Length: ${length}\r\n\r\n${body}`

/** A server, and a key for its lookups. */
export async function serveLookup(store: Store, options: ServerOptions = {}) {
  const { key } = await makeKey(store, 1)
  const server = serveTest(store, options)
  const send = (body: string, headers: Record<string, string> = {}, method = 'POST') =>
    server.get(LOOKUP, { ...post(key, body, headers), method })
  return {
    ...server,
    key,
    send,
    lookUp: (keys: unknown, more: object = {}) => send(JSON.stringify({ keys, ...more })),
    /** Returns the response as it is sent, without decompression. */
    fetch: (body: string, headers: Record<string, string> = {}) =>
      fetch(server.url.origin + LOOKUP, { ...post(key, body, headers), decompress: false }),
  }
}

/** The built-in rule set, in which the issuer `github` writes the type `github`. */
export const ISSUER_RULES: RuleSet = stampRules({
  version: DEFAULT_RULES.version,
  types: { ...DEFAULT_RULES.types, github: { ...(DEFAULT_RULES.types.github as Rule), issuer: 'github' } },
})

/** A server of a store, with keys for writing. The end of the block closes both. */
export async function serveWrites(store: TestStore, options: ServerOptions = {}, firstKey = 1) {
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
