import type { Feature } from '../../core/feature.ts'

export const events: Feature = {
  name: 'events',
  commands: {
    history: async () => (await import('./commands.ts')).history,
    diff: async () => (await import('./commands.ts')).diff,
  },
}
