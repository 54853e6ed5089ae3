import type { Feature } from '../../core/feature.ts'

export const ownRecord: Feature = {
  name: 'own-record',
}
