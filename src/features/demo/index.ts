import type { Feature } from '../../feature.ts'

export const demo: Feature = {
  name: 'demo',
  prepare:
    async () =>
    async ({ demo, now }) => {
      if (!demo) return {}
      const { fillWithDemo } = await import('./fill-with-demo.ts')
      return { beforeThreads: (store) => fillWithDemo(store, now()) }
    },
}
