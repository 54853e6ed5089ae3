import { createByteCache } from '../catalog/byte-cache.ts'
import type { Awaitable } from '../store/store.ts'
import { isLarge } from './backpressure/held-bytes.ts'
import type { RenderedPage } from './rendered-page.ts'

const MAX_BYTES = 32 * 1024 * 1024

/** Rendered pages of the current snapshot. */
export function createPageCache(mostBytes = MAX_BYTES) {
  const pages = createByteCache<RenderedPage>(mostBytes)
  let snapshot: object | undefined

  return {
    async get(current: object, key: string, render: () => Awaitable<RenderedPage>): Promise<RenderedPage> {
      if (current !== snapshot) pages.clear()
      snapshot = current
      const cached = pages.find(key)
      if (cached) return cached
      const page = await render()
      // The snapshot may have changed meanwhile, and clients can request any number of pages that do not exist.
      if (current !== snapshot || page.status !== 200 || isIncomplete(page)) return page
      return pages.getOrAdd(key, () => ({ value: page, bytes: estimateBytes(page) }))
    },
  }
}

/** Enough for the body and its compressed forms; a large body is kept as a Blob, too. */
const estimateBytes = ({ body: { length } }: RenderedPage) => (isLarge(length) ? 3 : 2) * length

/** A page that lacks something for the moment must not be cached. */
const isIncomplete = ({ headers }: RenderedPage) => headers['Cache-Control'] === 'no-store'

export type PageCache = ReturnType<typeof createPageCache>
