import type { Feature } from '../../feature.ts'

export const keys: Feature = {
  name: 'keys',
  commands: {
    keys: async (features) => (await import('./commands.ts')).createKeys(features),
    usage: async () => (await import('./usage-command.ts')).usage,
  },
  data: async () => [(await import('./usage-statements.ts')).USAGE],
  jobs: async () => (await import('./usage-jobs.ts')).createWriterJobs,
  async serve() {
    const { createServerJobs } = await import('./usage-jobs.ts')
    return { start: (use) => ({ jobs: createServerJobs(use) }) }
  },
}
