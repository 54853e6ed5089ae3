import type { Feature } from '../../feature.ts'

export const compare: Feature = {
  name: 'compare',
  async serve() {
    const { COMPARE_STYLE, createComparePage } = await import('./compare-page.ts')
    const { routesOfPages } = await import('../../ui/page-routes.ts')
    return { pages: (use) => routesOfPages(use, { '/compare': createComparePage }), assets: [COMPARE_STYLE] }
  },
}
