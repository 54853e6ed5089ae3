import type { Credential } from '../../domain/credential.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import { toShownCredentials } from '../rows/v1.ts'
import type { Awaitable } from '../store.ts'

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

/** Sources that a search without a source looks into: imported data may have any number. */
export const MOST_SOURCES = 64

/** Wallets that are compared with a suffix. */
const MOST_COMPARED = 5000

/** SQL that keeps the first `limit` texts of a range that end with `suffix`. */
export const selectEnds = (range: (limit: string) => string, suffix: string, limit: string) =>
  `select text, id from (${range(String(MOST_COMPARED))}) as found
   where substr(text, length(text) - length(${suffix}) + 1) = ${suffix} limit ${limit}`

/** The end of the range of all texts with a prefix, in the order of bytes: no character is higher. */
export const endOf = (prefix: string): string => `${prefix}\u{10ffff}`

/**
 * SQL for the sources of all handles: one seek of the index for each. The handles of a source are between `source:` and
 * `source;`, because the semicolon follows the colon.
 */
export const selectSources = (sourceOf: (handle: string) => string) => `sources (source, number) as (
  select (select ${sourceOf('handle')} from handles order by handle limit 1), 1
  union all
  select (select ${sourceOf('handle')} from handles where handle >= source || ';' order by handle limit 1), number + 1
  from sources where source is not null and number < ${MOST_SOURCES}
)`

/** Longer lists of credentials are not read: 50 of them take 3 MB. */
export const LONGEST_BODY = 64 * 1024

export type BodyRow = { id: number; body: string }

/** Credentials are in the order of their scores. */
export function toBestOfType(type: string, rows: readonly BodyRow[]): Map<number, Credential> {
  const best = new Map<number, Credential>()
  for (const { id, body } of rows) {
    const credential = toShownCredentials(body).find((each) => foldName(each.type) === type)
    if (credential) best.set(id, credential)
  }
  return best
}
