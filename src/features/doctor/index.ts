import type { Feature } from '../../feature.ts'

export const doctor: Feature = {
  name: 'doctor',
  commands: {
    doctor: async (features) => (await import('./command.ts')).createDoctor(features),
  },
}
