import { makeKey } from '../support/http/keys.ts'
import type { TestStore } from '../support/store/engines.ts'

/** The keys of requests. The two issuers may write data points of these types: one type both of them. */
export const KEYS = {
  operator: { scopes: ['read', 'events', 'write:*'], types: [] },
  reader: { scopes: ['read'], types: [] },
  revoked: { scopes: ['read', 'events', 'write:*'], types: [], revokedAt: 1 },
  ann: { scopes: ['write:ann'], types: ['code', 'kites'] },
  ben: { scopes: ['write:ben'], types: ['steps', 'kites'] },
} as const

export type KeyName = keyof typeof KEYS

/** Creates the keys, and returns the headers of a request with a key. */
export async function makeKeys(store: Omit<TestStore, 'url'>) {
  const headers = new Map<string, Record<string, string>>()
  for (const [at, [name, given]] of Object.entries(KEYS).entries()) {
    const { init } = await makeKey(store, at + 1, { tier: 'unlimited', ...given })
    headers.set(name, { ...init.headers, 'Content-Type': 'application/json' })
  }
  return (name: KeyName) => headers.get(name) ?? {}
}
