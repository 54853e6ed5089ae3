import type { Snapshot } from '../catalog/catalog.ts'
import type { Awaitable } from '../store/store.ts'
import type { Page } from './page.ts'

const MOST_PAGES = 300
const MOST_BYTES = 32 * 1024 * 1024

/** Two bytes a character, which leaves room for the compressed forms. */
const sizeOf = ({ body }: Page) => 2 * body.length

/** Rendered pages of the current snapshot; the oldest are dropped first. */
export function createPageCache({ mostPages = MOST_PAGES, mostBytes = MOST_BYTES } = {}) {
  const pages = new Map<string, Page>()
  let snapshot: Snapshot | undefined
  let bytes = 0

  function keep(key: string, page: Page): void {
    if (pages.has(key) || sizeOf(page) > mostBytes) return
    pages.set(key, page)
    bytes += sizeOf(page)
    for (const [oldest, { body }] of pages) {
      if (pages.size <= mostPages && bytes <= mostBytes) return
      pages.delete(oldest)
      bytes -= 2 * body.length
    }
  }

  return {
    /** The cached page, or else a new one. */
    async get(current: Snapshot, key: string, render: () => Awaitable<Page>): Promise<Page> {
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
