import type { Feature } from '../../feature.ts'

export const proof: Feature = {
  name: 'proof',
  commands: {
    verify: async () => (await import('./verify-command.ts')).verify,
    signing: async () => (await import('./signing-command.ts')).signing,
  },
  async serve() {
    const { eventLog } = await import('./log-route.ts')
    const { didDocument, jwks } = await import('./well-known.ts')
    const { createVerifyPage, VERIFY_SCRIPT } = await import('./verify-page.ts')
    const { routesOfPages } = await import('../../ui/page-routes.ts')
    const { default: examples } = await import('./examples.json')
    return {
      examples,
      routes: [eventLog, jwks, didDocument],
      pages: (use) => routesOfPages(use, { '/verify': createVerifyPage }),
      assets: [VERIFY_SCRIPT],
    }
  },
}
