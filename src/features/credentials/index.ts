import type { Feature } from '../../feature.ts'

export const credentials: Feature = {
  name: 'credentials',
  async serve() {
    const { createCredentialList } = await import('./credential-list.ts')
    const { createCredentialPage } = await import('./credential-page.ts')
    const { routesOfPages } = await import('../../ui/page-routes.ts')
    const creators = { '/credentials': createCredentialList, '/credentials/:type': createCredentialPage }
    return {
      pages: (use) => routesOfPages(use, creators),
      links: [{ path: '/credentials', text: 'Credentials', in: 'menu', order: 3, needsExplorer: true }],
    }
  },
}
