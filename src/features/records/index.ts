import type { Feature } from '../../feature.ts'

export const records: Feature = {
  name: 'records',
  commands: {
    import: async () => (await import('./import-command.ts')).importCommand,
    export: async () => (await import('./export-command.ts')).exportCommand,
    merge: async () => (await import('./merge-and-remove-commands.ts')).merge,
    remove: async () => (await import('./merge-and-remove-commands.ts')).remove,
  },
  data: async () => [(await import('./statements.ts')).RECORD_WRITES],
  async serve() {
    const { merge, removal, unmerge } = await import('./passport-changes.ts')
    const { records: write } = await import('./routes.ts')
    const { asSchemasOfV3 } = await import('../../core/api/surface.ts')
    const { default: examples } = await import('./examples.json')
    return {
      examples,
      routes: [write, removal, merge, unmerge],
      schemas: asSchemasOfV3(await import('./schemas.ts')),
    }
  },
}
