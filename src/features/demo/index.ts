import type { Feature } from '../../feature.ts'

export const demo: Feature = {
  name: 'demo',
}
