import { notFound } from '../domain/errors.ts'
import passportScript from './assets/passport.client.js' with { type: 'text' }
import rankingScript from './assets/ranking.client.js' with { type: 'text' }
import { createBadge } from './badge.ts'
import { createCard } from './card.ts'
import { renderErrorPage } from './error-page.ts'
import { type ExplorerOptions, file, type Page, type PageHandler, POLICY } from './page.ts'
import { createExplanationPage } from './passport/passport-explanation.ts'
import { createPassportPage } from './passport/passport-page.ts'
import { createRankingPage } from './ranking-page.ts'
import { createSharedPages } from './shared-pages.ts'

/** The pages that show passports to people, and what is shared of them. */
export function createExplorer(options: ExplorerOptions) {
  const share = createSharedPages()
  /** `origin` is the public one from here on. */
  const serve = (render: PageHandler): PageHandler => {
    const shared = share(render)
    return (request) =>
      shared({
        ...request,
        path: withoutSlash(request.path),
        origin: options.publicUrl ?? request.origin,
      })
  }
  const ranking = serve(createRankingPage(options))
  const passport = serve(createPassportPage(options))
  const explanation = serve(createExplanationPage(options))
  const badge = serve(createBadge(options))
  const card = serve(createCard(options))

  /** All that is below the explorer's folders is its own, also where nothing is. A slash at the end makes no difference. */
  function find(path: string): PageHandler | undefined {
    if (path === '/') return ranking
    const [, folder = '', name = '', ...more] = withoutSlash(path).split('/')
    if (!FOLDERS.has(folder)) return undefined
    if (name === '') return nothing
    if (folder === 'passports' && more.length === 1 && more[0] === 'score') return explanation
    if (more.length > 0) return nothing
    if (folder === 'passports') return passport
    if (!name.endsWith('.svg')) return nothing
    return folder === 'badge' ? badge : card
  }

  return {
    /** The scripts of the pages, by path. */
    pages: {
      '/ranking.js': file('text/javascript', rankingScript, POLICY),
      '/passport.js': file('text/javascript', passportScript, POLICY),
    },
    find,
    presentError(status: number, message: string, requestId: string): Page {
      const page = file('text/html', renderErrorPage(status, message, requestId), POLICY)
      return { ...page, status, headers: { ...page.headers, 'Cache-Control': 'no-store' } }
    },
  }
}

const FOLDERS = new Set(['passports', 'badge', 'card'])

const withoutSlash = (path: string) => (path.endsWith('/') ? path.slice(0, -1) : path)

const nothing: PageHandler = () => {
  throw notFound()
}
