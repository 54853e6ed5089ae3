import type { Awaitable, IsGone } from '../store/store.ts'
import type { Page, PageHandler } from './page.ts'

/** As long as reads share a view of the database. */
const SHARED_MILLISECONDS = 5

/**
 * Lets requests for the same page that come together share it: a page that everybody looks at is made a few hundred
 * times a second at most, however many ask.
 */
export function createSharedPages(now: () => number = () => performance.now()) {
  /** In the order in which they were begun. */
  const pages = new Map<string, { begunAt: number; page: Awaitable<Page>; callers: IsGone[] }>()

  function forgetOld(time: number): void {
    for (const [name, { begunAt }] of pages) {
      if (time - begunAt < SHARED_MILLISECONDS) return
      pages.delete(name)
    }
  }

  return (render: PageHandler): PageHandler =>
    (request) => {
      const { isGone = () => false } = request
      const name = `${request.origin} ${request.path} ${request.query}`
      const time = now()
      forgetOld(time)
      const known = pages.get(name)
      known?.callers.push(isGone)
      if (known) return known.page
      const callers = [isGone]
      const areGone = () => {
        const gone = callers.every((each) => each())
        // Whoever comes now has a page of its own.
        if (gone) pages.delete(name)
        return gone
      }
      const page = render({ ...request, isGone: areGone })
      pages.set(name, { begunAt: time, page, callers })
      return page
    }
}
