import type { Feature } from '../../feature.ts'
import { privacy } from '../privacy/index.ts'

export const ownRecord: Feature = {
  name: 'own-record',
  needs: [privacy],
  commands: {
    requests: async () => (await import('./requests-command.ts')).requests,
  },
  async data() {
    const { PROOFS, REQUESTS } = await import('./statements.ts')
    return [PROOFS, REQUESTS]
  },
  async serve() {
    const { ME_ROUTES } = await import('./routes.ts')
    const { asSchemasOfV3 } = await import('../../core/api/surface.ts')
    const { createMeRoutes, ME_SCRIPT } = await import('./me-page.ts')
    const { default: examples } = await import('./examples.json')
    return {
      examples,
      routes: ME_ROUTES,
      schemas: asSchemasOfV3(await import('./schemas.ts')),
      pages: createMeRoutes,
      assets: [ME_SCRIPT],
      links: [{ path: '/me', text: 'Is this you?', in: 'footer', order: 2, needsExplorer: true }],
    }
  },
}
