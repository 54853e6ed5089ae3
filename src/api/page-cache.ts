import { createByteCache } from '../catalog/byte-cache.ts'
import type { Awaitable } from '../store/store.ts'
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
      // An estimate: two bytes per character are enough for the body and its compressed forms.
      return pages.getOrAdd(key, () => ({ value: page, bytes: 2 * page.body.length }))
    },
  }
}

/** A page that lacks something for the moment must not stay. */
const isIncomplete = ({ headers }: RenderedPage) => headers['Cache-Control'] === 'no-store'

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
