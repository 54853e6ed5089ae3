import type { Feature } from '../../core/feature.ts'

export const reference: Feature = {
  name: 'reference',
  commands: {
    openapi: async () => (await import('./command.ts')).openApi,
  },
}
