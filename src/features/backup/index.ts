import type { Feature } from '../../feature.ts'

export const backup: Feature = {
  name: 'backup',
  commands: {
    backup: async () => (await import('./commands.ts')).backup,
    restore: async () => (await import('./commands.ts')).restore,
  },
}
