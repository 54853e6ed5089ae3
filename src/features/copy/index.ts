import type { Feature } from '../../feature.ts'

export const copy: Feature = {
  name: 'copy',
  commands: {
    copy: async () => (await import('./command.ts')).copy,
  },
  data: async () => [(await import('./statements.ts')).COPY],
}
