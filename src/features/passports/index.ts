import type { Feature } from '../../core/feature.ts'

export const passports: Feature = {
  name: 'passports',
}
