import type { Feature } from '../../feature.ts'

export const explorer: Feature = {
  name: 'explorer',
  async serve() {
    const { createExplorer, EXPLORER_ASSETS, EXPLORER_STYLES } = await import('./routes.ts')
    return {
      pages: createExplorer,
      styles: EXPLORER_STYLES,
      assets: EXPLORER_ASSETS,
      links: [
        { path: '/', text: 'People', in: 'menu', order: 1, needsExplorer: true },
        { path: '/about', text: 'About', in: 'menu', order: 5, needsExplorer: true },
        { path: '/about', text: 'About', in: 'footer', order: 1, needsExplorer: true },
      ],
    }
  },
}
