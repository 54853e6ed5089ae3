import type { Answer } from '../answer.ts'

/** Some 400 pages of the usual size. */
const MOST_BYTES = 8 * 1024 * 1024

type Kept = Answer & { body: Uint8Array }

/** Keeps pages of the list as they go out, for as long as nothing changes that they show. */
export function createPageCache() {
  let edition: object | undefined
  let pages = new Map<string, Kept>()
  let bytes = 0

  return {
    find(present: object | undefined, name: string): Answer | undefined {
      if (present !== edition) {
        edition = present
        pages = new Map()
        bytes = 0
      }
      const page = pages.get(name)
      if (!page) return undefined
      // The one that nobody asked for longest is the first.
      pages.delete(name)
      pages.set(name, page)
      return page
    },
    /** For the edition that `find` was last asked about. */
    keep(name: string, page: Kept): void {
      if (edition === undefined) return
      pages.set(name, page)
      bytes += page.body.length
      for (const [first, { body }] of pages) {
        if (bytes <= MOST_BYTES) break
        pages.delete(first)
        bytes -= body.length
      }
    },
  }
}
