import type { Feature } from '../../feature.ts'
import { passports } from '../passports/index.ts'

export const proof: Feature = {
  name: 'proof',
  needs: [passports],
  commands: {
    verify: async () => (await import('./verify-command.ts')).verify,
    signing: async () => (await import('./signing-command.ts')).signing,
  },
  async prepare() {
    const { findDemoKeys } = await import('./signing-key-file.ts')
    return ({ config, demo, now }) => {
      if (demo) config.signingKeys ??= findDemoKeys(config.database, now())
      return {}
    }
  },
  async serve() {
    const { eventLog } = await import('./log-route.ts')
    const { signedSnapshot } = await import('./signed-snapshot-response.ts')
    const { didDocument, jwks } = await import('./well-known.ts')
    const { createVerifyPage, VERIFY_SCRIPT } = await import('./verify-page.ts')
    const { routesOfPages } = await import('../../ui/page-routes.ts')
    const { default: examples } = await import('./examples.json')
    return {
      examples,
      routes: [eventLog, signedSnapshot, jwks, didDocument],
      pages: (use) => routesOfPages(use, { '/verify': createVerifyPage }),
      assets: [VERIFY_SCRIPT],
    }
  },
}
