import { PAGE, type Route } from '../../core/http/route.ts'
import { unknownPaths } from '../../core/http/unknown-path.ts'
import type { UseOfServer } from '../../feature.ts'
import { routesOfFiles, routesOfPages } from '../../ui/page-routes.ts'
import { createAboutPage } from './about-page.ts'
import passport from './passport/passport.css' with { type: 'text' }
import { createCredentialsPage } from './passport/passport-credentials.ts'
import { createExplanationPage } from './passport/passport-explanation.ts'
import { createPassportPage, PASSPORT_SCRIPT } from './passport/passport-page.ts'
import sections from './passport/passport-sections.css' with { type: 'text' }
import ranking from './ranking/ranking.css' with { type: 'text' }
import { createRankingPage, RANKING_SCRIPT } from './ranking/ranking-page.ts'
import { createSitemap, createSitemapIndex } from './sitemap.ts'

const PAGES = {
  '/': createRankingPage,
  '/passports/:ref': createPassportPage,
  '/passports/:ref/score': createExplanationPage,
  '/passports/:ref/credentials': createCredentialsPage,
  '/about': createAboutPage,
}

export const EXPLORER_STYLES = [ranking, passport, sections]
export const EXPLORER_ASSETS = [RANKING_SCRIPT, PASSPORT_SCRIPT]

export const createExplorer = (options: UseOfServer): Route[] => [
  ...routesOfPages(options, PAGES),
  ...routesOfFiles(options, {
    '/sitemap.xml': createSitemapIndex,
    '/sitemap/:file': () => createSitemap(options),
  }),
  ...unknownPaths(PAGE, '/passports', 'explorer'),
]
