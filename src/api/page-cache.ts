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
    // Clients can request any number of pages that do not exist.
    if (pages.has(key) || sizeOf(page) > maxBytes || page.status !== 200) return
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

/** Pages that are rendered and sent in one turn of the event loop. A page of 250 takes about 2 ms. */
const PAGES_PER_TURN = 2

/** Makes pages wait for their turn: many large pages that are requested at once delay other requests only a little. */
export function createTurns() {
  const waiting: (() => void)[] = []
  /** Pages of the current turn; `undefined` while no page was requested. */
  let pages: number | undefined

  function endTurn(): void {
    const next = waiting.splice(0, PAGES_PER_TURN)
    pages = next.length === 0 ? undefined : next.length
    if (pages !== undefined) setImmediate(endTurn)
    for (const resume of next) resume()
  }

  return (): Promise<void> | undefined => {
    if (pages === undefined) setImmediate(endTurn)
    pages ??= 0
    if (pages >= PAGES_PER_TURN) return new Promise((resolve) => waiting.push(resolve))
    pages++
    return undefined
  }
}

export type TakeTurn = ReturnType<typeof createTurns>

/** Large pages that are rendered and compressed at the same time. Each may use 30 MB. */
const LARGE_PAGES = 4

/** Limits the memory of pages that wait for the store or the compression: further pages wait until one is sent. */
export function createLargePages() {
  const waiting: (() => void)[] = []
  let running = 0

  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running === LARGE_PAGES) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

export type LargePages = ReturnType<typeof createLargePages>
