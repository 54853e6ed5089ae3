import type { Awaitable } from '../basics/awaitable.ts'
import { digestOfRules } from '../basics/canonical-json.ts'
import type { RulesStore } from '../store/sql/rules.ts'

/** Returns the digests of rule sets by stamp. Unknown rule sets have none. */
export type FindDigests = (stamps: readonly string[]) => Awaitable<ReadonlyMap<string, string>>

const MOST_KNOWN = 1000

/** Digests are cached, because a stamp always has the same contents. Unknown rule sets may be stored later. */
export function createDigestFinder(rules: RulesStore): FindDigests {
  let known = new Map<string, string>()
  return (stamps) => {
    if (known.size > MOST_KNOWN) known = new Map()
    const digests = known
    const missing = new Set(stamps.filter((stamp) => stamp !== '' && !digests.has(stamp)))
    if (missing.size === 0) return digests
    return rules.listByStamps([...missing]).then((stored) => {
      for (const { stamp, body } of stored) digests.set(stamp, digestOfRules(body))
      return digests
    })
  }
}
