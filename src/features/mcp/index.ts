import type { Feature } from '../../feature.ts'
import { events } from '../events/index.ts'
import { movers } from '../movers/index.ts'
import { passports } from '../passports/index.ts'
import { records } from '../records/index.ts'

export const mcp: Feature = {
  name: 'mcp',
  needs: [passports, movers, records, events],
  commands: {
    mcp: async () => (await import('./command.ts')).mcp,
  },
  serve: async () => ({ routes: [(await import('./routes.ts')).mcp] }),
}
