import { PICTURES } from '../../core/config/rate-limit-tier.ts'
import { PAGE, type Route, type Surface } from '../../core/http/route.ts'
import { unknownPaths } from '../../core/http/unknown-path.ts'
import type { UseOfServer } from '../../feature.ts'
import { picture } from '../../ui/assets-and-csp.ts'
import { SITE_CARD } from '../../ui/layout.ts'
import { routesOfFiles } from '../../ui/page-routes.ts'
import type { Site } from '../../ui/site.ts'
import { createBadge, drawErrorBadge, toErrorEndpoint } from './badge.ts'
import { createCard, createCardDrawer, createSiteCard, drawTitleCard, type PictureContext } from './cards.ts'
import { findFonts } from './fonts-folder.ts'
import { createIcon } from './picture-page.ts'
import type { RasterizerClient } from './rasterizer-calls.ts'

/** The pictures of passports, with the client of the picture thread. */
export function createPictures({ config, clients, ...options }: UseOfServer): Route[] {
  const { rasterize } = clients['picture-thread'] as RasterizerClient
  const fonts = findFonts(config)
  const context: PictureContext = {
    ...options,
    rasterize,
    fonts:
      fonts.length > 0
        ? new RegExp(fonts.map(({ characters }) => characters.source).join('|'), 'u')
        : undefined,
  }
  const drawCard = createCardDrawer(context)
  const surface: Surface = { ...PAGE, tier: PICTURES, renderError: createErrorPicture(options.site) }
  const creators = {
    '/badge/:file': createBadge,
    '/card/:file': () => createCard(context, drawCard),
    [SITE_CARD]: () => createSiteCard(context, drawCard),
    '/favicon.ico': () => createIcon(context),
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
