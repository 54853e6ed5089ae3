import type { Feature } from '../../feature.ts'
import { records } from '../records/index.ts'

export const privacy: Feature = {
  name: 'privacy',
  needs: [records],
  commands: {
    hide: async () => (await import('./hide-and-bar-commands.ts')).hide,
    unhide: async () => (await import('./hide-and-bar-commands.ts')).unhide,
    bar: async () => (await import('./hide-and-bar-commands.ts')).bar,
    subject: async () => (await import('./subject-and-removals-commands.ts')).subject,
    removals: async () => (await import('./subject-and-removals-commands.ts')).removals,
  },
  data: async () => [(await import('./subject-statements.ts')).EXPORTS],
}
