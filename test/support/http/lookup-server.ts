import type { Store } from '../../../src/core/store/store.ts'
import { makeKey } from './keys.ts'
import { serveTest } from './server.ts'

export const PATH = '/api/v3/lookup'
export const JSON_BODY = { 'Content-Type': 'application/json' }

export const post = (key: string, body: string | ReadableStream, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { ...JSON_BODY, 'X-API-KEY': key, ...headers },
  body,
})

/** The bytes of a lookup request. `length` is the Content-Length, which may be more than `body` has. */
export const rawLookup = (key: string, body: string, { more = '', length = body.length } = {}) =>
  `POST ${PATH} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${key}\r\nContent-Type: application/json\r\n${more}Content-Length: ${length}\r\n\r\n${body}`

/** A server, and a key for its lookups. */
export async function serveLookup(store: Store, options: Parameters<typeof serveTest>[1] = {}) {
  const { key } = await makeKey(store, 1)
  const server = serveTest(store, options)
  const send = (body: string, headers: Record<string, string> = {}, method = 'POST') =>
    server.get(PATH, { ...post(key, body, headers), method })
  return {
    ...server,
    key,
    send,
    lookUp: (keys: unknown, more: object = {}) => send(JSON.stringify({ keys, ...more })),
    /** Returns the response as it is sent, without decompression. */
    fetch: (body: string, headers: Record<string, string> = {}) =>
      fetch(server.url.origin + PATH, { ...post(key, body, headers), decompress: false }),
  }
}
