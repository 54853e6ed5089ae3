import type { Feature } from '../../core/feature.ts'

export const pictures: Feature = {
  name: 'pictures',
}
