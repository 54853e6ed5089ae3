import type { Feature } from '../../feature.ts'
import { events } from '../events/index.ts'
import { passports } from '../passports/index.ts'
import { records } from '../records/index.ts'

export const mcp: Feature = {
  name: 'mcp',
  needs: [passports, records, events],
  commands: {
    mcp: async (features) => (await import('./command.ts')).createMcpCommand(features),
  },
  async serve() {
    const { createMcp } = await import('./routes.ts')
    return { start: ({ api }) => ({ routes: [createMcp(api.routes)] }) }
  },
}
