import type { Snapshot } from '../catalog/snapshot.ts'
import type { Awaitable } from '../store/store.ts'
import type { RenderedPage } from './rendered-page.ts'

const MAX_PAGES = 300
const MAX_BYTES = 32 * 1024 * 1024

/** An estimate: two bytes per character are enough for the body and its compressed forms. */
const sizeOf = ({ body }: RenderedPage) => 2 * body.length

/** Rendered pages of the current snapshot; the oldest are evicted first. */
export function createPageCache({ maxPages = MAX_PAGES, maxBytes = MAX_BYTES } = {}) {
  const pages = new Map<string, RenderedPage>()
  let snapshot: Snapshot | undefined
  let bytes = 0

  function keep(key: string, page: RenderedPage): void {
    if (pages.has(key) || sizeOf(page) > maxBytes) return
    pages.set(key, page)
    bytes += sizeOf(page)
    for (const [oldest, { body }] of pages) {
      if (pages.size <= maxPages && bytes <= maxBytes) return
      pages.delete(oldest)
      bytes -= 2 * body.length
    }
  }

  return {
    async get(current: Snapshot, key: string, render: () => Awaitable<RenderedPage>): Promise<RenderedPage> {
      if (current !== snapshot) {
        pages.clear()
        bytes = 0
        snapshot = current
      }
      const cached = pages.get(key)
      if (cached) return cached
      const page = await render()
      // The snapshot may have changed while the page was rendered.
      if (current === snapshot) keep(key, page)
      return page
    },
  }
}

export type PageCache = ReturnType<typeof createPageCache>
