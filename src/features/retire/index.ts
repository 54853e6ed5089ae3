import type { Feature } from '../../core/feature.ts'

export const retire: Feature = {
  name: 'retire',
  commands: {
    retire: async () => (await import('./command.ts')).retire,
  },
  data: async () => [(await import('./statements.ts')).PLAN],
}
