import type { Feature } from '../../feature.ts'
import { records } from '../records/index.ts'

export const mirror: Feature = {
  name: 'mirror',
  needs: [records],
  commands: {
    mirror: async () => (await import('./command.ts')).mirror,
  },
  serve: async () => ({
    sources: async ({ data }) => data((await import('./statements.ts')).MIRROR).listSources(),
  }),
  data: async () => [(await import('./statements.ts')).MIRROR],
}
