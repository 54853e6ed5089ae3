import type { Feature } from '../../feature.ts'

export const reference: Feature = {
  name: 'reference',
  async serve() {
    const { createReference } = await import('./routes.ts')
    const { REFERENCE_ASSETS } = await import('./page.ts')
    return {
      start: (use) => ({ routes: createReference(use) }),
      assets: REFERENCE_ASSETS,
      links: [
        { path: '/reference/v3', text: 'API', in: 'menu', order: 4 },
        { path: '/reference/v3', text: 'API reference', in: 'footer', order: 3 },
        { path: '/openapi.json', text: 'OpenAPI document', in: 'footer', order: 4 },
      ],
    }
  },
}
