import type { Feature } from '../../core/feature.ts'

export const demo: Feature = {
  name: 'demo',
}
