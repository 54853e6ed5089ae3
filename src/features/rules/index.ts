import type { Feature } from '../../feature.ts'

export const rules: Feature = {
  name: 'rules',
  commands: {
    score: async () => (await import('./score-command.ts')).score,
    explain: async () => (await import('./explain-command.ts')).explain,
    rules: async () => (await import('./commands.ts')).rules,
  },
  prepare: async () => (await import('./rules-setting.ts')).prepareRules,
  async serve() {
    const { rules: route } = await import('./routes.ts')
    const { default: examples } = await import('./examples.json')
    return {
      examples,
      routes: [route],
    }
  },
}
