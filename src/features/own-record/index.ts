import type { Feature } from '../../core/feature.ts'
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
}
