/** Range scans of an index, in byte order. Each returns at most `limit` rows. Prefixes must be folded. */
export type SearchStore = {
  /** Handles such as `github:zoe` that begin with the prefix. */
  listHandles(prefix: string, limit: number): Promise<FoundName[]>
  /** Handles of any source whose name begins with the prefix: the first `limit` of each source. */
  listNames(prefix: string, limit: number): Promise<FoundName[]>
  /** Handles of any source with one of these names. */
  listOwners(names: readonly string[]): Promise<FoundName[]>
  /** Wallets with the prefix that end with `suffix`. Only the first 5,000 with the prefix are compared. */
  listWallets(prefix: string, limit: number, suffix?: string): Promise<FoundName[]>
}

/** A handle or wallet address and its passport, which may be merged into another one. */
export type FoundName = { text: string; id: number }
