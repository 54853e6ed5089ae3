import type { Feature } from '../../core/feature.ts'

export const movers: Feature = {
  name: 'movers',
  questions: async () => [(await import('./find-movers.ts')).MOVERS],
}
