import type { Feature } from '../../feature.ts'
import { events } from '../events/index.ts'

export const webhooks: Feature = {
  name: 'webhooks',
  needs: [events],
  commands: {
    subscriptions: async () => (await import('./command.ts')).subscriptions,
  },
  async data() {
    const { LEASES, SUBSCRIPTIONS } = await import('./statements.ts')
    return [LEASES, SUBSCRIPTIONS]
  },
  threads: [
    {
      name: 'delivery-thread',
      file: 'features/webhooks/thread.ts',
      isNeeded: async (_, { data }) => data((await import('./statements.ts')).SUBSCRIPTIONS).exist(),
    },
  ],
  metrics: async () => (await import('./metrics.ts')).readSubscriptionMetrics,
  async serve() {
    const { SUBSCRIPTION_ROUTES } = await import('./routes.ts')
    const { asSchemasOfV3 } = await import('../../core/api/surface.ts')
    const { default: examples } = await import('./examples.json')
    return {
      examples,
      routes: SUBSCRIPTION_ROUTES,
      schemas: asSchemasOfV3(await import('./schemas.ts')),
    }
  },
}
