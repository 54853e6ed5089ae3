import type { Feature } from '../../core/feature.ts'

export const proof: Feature = {
  name: 'proof',
  commands: {
    verify: async () => (await import('./verify-command.ts')).verify,
    signing: async () => (await import('./signing-command.ts')).signing,
  },
}
