import type { Feature } from '../../feature.ts'

export const events: Feature = {
  name: 'events',
  commands: {
    history: async () => (await import('./commands.ts')).history,
    diff: async () => (await import('./commands.ts')).diff,
  },
  async serve() {
    const { diff } = await import('./diff.ts')
    const { events: list } = await import('./routes.ts')
    const { default: examples } = await import('./examples.json')
    return {
      examples,
      routes: [diff, list],
    }
  },
}
