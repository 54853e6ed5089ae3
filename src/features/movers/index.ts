import type { Feature } from '../../feature.ts'

export const movers: Feature = {
  name: 'movers',
  questions: async () => [(await import('./find-movers.ts')).MOVERS],
  async serve() {
    const { createMoversFeed, createMoversPage } = await import('./page.ts')
    const { routesOfFiles, routesOfPages } = await import('../../ui/page-routes.ts')
    return {
      pages: (use) => [
        ...routesOfPages(use, { '/movers': createMoversPage }),
        ...routesOfFiles(use, { '/movers.atom': createMoversFeed }),
      ],
      links: [{ path: '/movers', text: 'Movers', in: 'menu', order: 2, needsExplorer: true }],
    }
  },
}
