import type { Feature } from '../../core/feature.ts'

export const doctor: Feature = {
  name: 'doctor',
  commands: {
    doctor: async () => (await import('./command.ts')).doctor,
  },
}
