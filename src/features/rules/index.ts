import type { Feature } from '../../core/feature.ts'

export const rules: Feature = {
  name: 'rules',
  commands: {
    score: async () => (await import('./score-command.ts')).score,
    explain: async () => (await import('./explain-command.ts')).explain,
    rules: async () => (await import('./commands.ts')).rules,
  },
}
