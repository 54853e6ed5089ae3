import type { Feature } from '../../core/feature.ts'

export const v1: Feature = {
  name: 'v1',
}
