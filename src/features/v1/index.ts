import type { Feature } from '../../feature.ts'

export const v1: Feature = {
  name: 'v1',
  async data() {
    const { CREDENTIAL_BODIES, V1_BODIES } = await import('./statements.ts')
    return [CREDENTIAL_BODIES, V1_BODIES]
  },
  async serve() {
    const { V1_ROUTES } = await import('./routes.ts')
    const { default: examples } = await import('./examples.json')
    return {
      examples,
      routes: V1_ROUTES,
    }
  },
}
