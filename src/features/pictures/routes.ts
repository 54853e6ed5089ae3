import { PICTURES } from '../../core/config/rate-limit-tier.ts'
import { PAGE, type Route, type Surface } from '../../core/http/route.ts'
import { unknownPaths } from '../../core/http/unknown-path.ts'
import { picture } from '../../ui/assets-and-csp.ts'
import { SITE_CARD } from '../../ui/layout.ts'
import type { ExplorerOptions } from '../../ui/page.ts'
import { routesOfFiles } from '../../ui/page-routes.ts'
import type { Site } from '../../ui/site.ts'
import { createBadge, drawErrorBadge, toErrorEndpoint } from './badge.ts'
import { createCard, createCardDrawer, createSiteCard, drawTitleCard } from './cards.ts'
import { createIcon } from './picture-page.ts'

export function createPictures(options: ExplorerOptions): Route[] {
  const drawCard = createCardDrawer(options)
  const surface: Surface = { ...PAGE, tier: PICTURES, renderError: createErrorPicture(options.site) }
  const creators = {
    '/badge/:file': createBadge,
    '/card/:file': () => createCard(options, drawCard),
    [SITE_CARD]: () => createSiteCard(options, drawCard),
    '/favicon.ico': createIcon,
  }
  return [
    ...routesOfFiles(options, creators, surface),
    ...['/badge', '/card'].flatMap((path) => unknownPaths(PAGE, path, 'explorer')),
  ]
}

const WORDS: Readonly<Record<number, string>> = { 404: 'not found', 429: 'busy', 503: 'busy' }

const createErrorPicture = (site: Site) => (path: string, status: number) => {
  const words = WORDS[status] ?? 'error'
  if (path.endsWith('.json')) return picture('json', toErrorEndpoint(words), status)
  const { markup } = path.startsWith('/card/')
    ? drawTitleCard(site, { title: `Passport ${words}`, words: '' })
    : drawErrorBadge(words)
  return picture('svg', markup, status)
}
