import type { Feature } from '../../feature.ts'
import { passports } from '../passports/index.ts'

export const movers: Feature = {
  name: 'movers',
  needs: [passports],
  questions: async () => [(await import('./find-movers.ts')).MOVERS],
  async serve() {
    const { createMoversFeed, createMoversPage } = await import('./page.ts')
    const { routesOfFiles, routesOfPages } = await import('../../ui/page-routes.ts')
    const { listOfMovers } = await import('./list.ts')
    return {
      routes: [listOfMovers],
      pages: (use) => [
        ...routesOfPages(use, { '/movers': createMoversPage }),
        ...routesOfFiles(use, { '/movers.atom': createMoversFeed }),
      ],
      links: [{ path: '/movers', text: 'Movers', in: 'menu', order: 2, needsExplorer: true }],
    }
  },
}
