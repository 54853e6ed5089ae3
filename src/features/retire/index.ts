import type { Feature } from '../../feature.ts'

export const retire: Feature = {
  name: 'retire',
  commands: {
    retire: async () => (await import('./command.ts')).retire,
  },
  data: async () => [(await import('./statements.ts')).PLAN],
  passOnKey: async () => (await import('./statements.ts')).exemptSuccessor,
  async jobs() {
    const { logRetirement } = await import('./job.ts')
    return ({ store, log }) => [logRetirement(store, log)]
  },
  async serve() {
    const { startRetirement } = await import('./serving.ts')
    return {
      start: startRetirement,
      links: [{ path: '/deprecation', text: 'Deprecation of V1', in: 'footer', order: 5 }],
    }
  },
}
