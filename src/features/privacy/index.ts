import type { Feature } from '../../core/feature.ts'

export const privacy: Feature = {
  name: 'privacy',
  commands: {
    requests: async () => (await import('./requests.ts')).requests,
    hide: async () => (await import('./hide-and-bar.ts')).hide,
    unhide: async () => (await import('./hide-and-bar.ts')).unhide,
    bar: async () => (await import('./hide-and-bar.ts')).bar,
    subject: async () => (await import('./subject-and-removals.ts')).subject,
    removals: async () => (await import('./subject-and-removals.ts')).removals,
  },
}
