import type { Feature } from '../../core/feature.ts'

export const explorer: Feature = {
  name: 'explorer',
}
