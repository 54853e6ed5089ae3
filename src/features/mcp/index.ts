import type { Feature } from '../../feature.ts'
import { records } from '../records/index.ts'

export const mcp: Feature = {
  name: 'mcp',
  needs: [records],
  commands: {
    mcp: async () => (await import('./command.ts')).mcp,
  },
}
