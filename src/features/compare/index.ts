import type { Feature } from '../../core/feature.ts'

export const compare: Feature = {
  name: 'compare',
}
