import type { Feature } from '../../feature.ts'
import { retire } from '../retire/index.ts'

export const keys: Feature = {
  name: 'keys',
  needs: [retire],
  commands: {
    keys: async () => (await import('./commands.ts')).keys,
    usage: async () => (await import('./usage-command.ts')).usage,
  },
  data: async () => [(await import('./usage-statements.ts')).USAGE],
  jobs: async () => (await import('./usage-jobs.ts')).createWriterJobs,
  async serve() {
    const { createServerJobs } = await import('./usage-jobs.ts')
    return { start: (use) => ({ jobs: createServerJobs(use) }) }
  },
}
