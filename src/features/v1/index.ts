import type { Feature } from '../../core/feature.ts'

export const v1: Feature = {
  name: 'v1',
  async data() {
    const { CREDENTIAL_BODIES, V1_BODIES } = await import('./statements.ts')
    return [CREDENTIAL_BODIES, V1_BODIES]
  },
}
