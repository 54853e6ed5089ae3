import type { Snapshot } from '../../catalog/snapshot.ts'
import type { Facets } from '../search/facets.ts'
import type { ExplorerOptions } from '../site/explorer-page.ts'
import { ifReady } from '../site/not-ready.ts'

/** The first page after a start waits this long: enough for the index of a small database. */
const LONGEST_WAIT_MILLISECONDS = 1000

/**
 * The facets of all passports. They are read in the background when the ranking has changed, so that they do not delay it. Until
 * then, the last known ones are shown. `revision` increases with each read.
 */
export function createHomeFacets(
  { catalog, onError }: Pick<ExplorerOptions, 'catalog' | 'onError'>,
  read: () => Promise<Facets>,
) {
  let known: Facets | undefined
  let revision = 0
  let loaded: Snapshot | undefined
  let loading: Promise<void> | undefined
  let first: Promise<void> | undefined

  async function load(snapshot: Snapshot): Promise<void> {
    try {
      const facets = await ifReady(read)
      // Without an index, a later page tries again.
      if (!facets) return
      known = facets
      loaded = snapshot
      revision++
    } catch (error) {
      onError(error)
    } finally {
      loading = undefined
    }
  }

  return async (): Promise<{ facets: Facets | undefined; revision: number }> => {
    const snapshot = await catalog.current()
    if (snapshot !== loaded) loading ??= load(snapshot)
    first ??= Promise.race([
      loading,
      new Promise<void>((resolve) => setTimeout(resolve, LONGEST_WAIT_MILLISECONDS)),
    ])
    await first
    return { facets: known, revision }
  }
}

export type HomeFacets = ReturnType<typeof createHomeFacets>
