import type { Feature } from '../../feature.ts'

export const doctor: Feature = {
  name: 'doctor',
  commands: {
    doctor: async () => (await import('./command.ts')).doctor,
  },
}
