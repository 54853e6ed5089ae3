import type { Feature } from '../../feature.ts'

export const mirror: Feature = {
  name: 'mirror',
  commands: {
    mirror: async () => (await import('./command.ts')).mirror,
  },
  data: async () => [(await import('./statements.ts')).MIRROR],
}
