import type { Feature } from '../../core/feature.ts'

export const credentials: Feature = {
  name: 'credentials',
}
