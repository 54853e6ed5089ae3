import type { Store } from '../../../src/store/store.ts'
import { makeKey } from './keys.ts'
import { serveTest } from './server.ts'

export const PATH = '/api/v3/lookup'
export const JSON_BODY = { 'Content-Type': 'application/json' }

/** A server and a key for it. */
export async function serveLookup(store: Store) {
  const { key } = await makeKey(store, 1)
  const server = serveTest(store)
  const send = (body: string, headers: Record<string, string> = JSON_BODY, method = 'POST') =>
    server.get(PATH, { method, body, headers: { 'X-API-KEY': key, ...headers } })
  return {
    ...server,
    key,
    send,
    lookUp: (keys: unknown, more: object = {}) => send(JSON.stringify({ keys, ...more })),
  }
}
