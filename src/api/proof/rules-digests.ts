import { digestOfRules } from '../../domain/proof/canonical-json.ts'
import type { Awaitable, RulesStore } from '../../store/store.ts'

/** Returns the digests of rule sets by stamp. Unknown rule sets have none. */
export type FindDigests = (stamps: readonly string[]) => Awaitable<ReadonlyMap<string, string>>

const MOST_KNOWN = 1000

/** An unknown rule set is searched again after this time: it may be stored later. */
const RETRY_MILLISECONDS = 10_000

/** Digests are cached, because a stamp always has the same contents. */
export function createDigestFinder(rules: RulesStore, now: () => number): FindDigests {
  const known = new Map<string, string>()
  /** When to search for an unknown rule set again. */
  const unknown = new Map<string, number>()

  async function load(missing: readonly string[]) {
    const stored = await rules.listByStamps(missing)
    for (const { stamp, body } of stored) known.set(stamp, digestOfRules(body))
    for (const stamp of missing) if (!known.has(stamp)) unknown.set(stamp, now() + RETRY_MILLISECONDS)
    const found = new Map(known)
    if (known.size > MOST_KNOWN) known.clear()
    if (unknown.size > MOST_KNOWN) unknown.clear()
    return found
  }

  return (stamps) => {
    const isMissing = (stamp: string) =>
      stamp !== '' && !known.has(stamp) && (unknown.get(stamp) ?? 0) <= now()
    const missing = stamps.filter(isMissing)
    return missing.length === 0 ? known : load([...new Set(missing)])
  }
}
