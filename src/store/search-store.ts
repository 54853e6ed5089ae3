import type { Credential } from '../domain/credential.ts'
import type { Awaitable } from './awaitable.ts'

/** Range scans of an index: each reads at most `limit` rows, in the order of their bytes. Prefixes are folded. */
export type SearchStore = {
  /** Handles such as `github:zoe` that begin with a text. */
  listHandles(prefix: string, limit: number): Awaitable<FoundName[]>
  /** Handles whose name begins with a text: the first `limit` of each source. */
  listNames(prefix: string, limit: number): Awaitable<FoundName[]>
  /** Of the first 5,000 wallets with the prefix, those that end with `suffix`. */
  listWallets(prefix: string, limit: number, suffix?: string): Awaitable<FoundName[]>
  /** The best credential of a folded type, by passport. Passports without one, and very long lists, are left out. */
  mapCredentials(type: string, ids: readonly number[]): Awaitable<Map<number, Credential>>
}

/** A handle or wallet address and its passport, which may be merged into another one. */
export type FoundName = { text: string; id: number }
