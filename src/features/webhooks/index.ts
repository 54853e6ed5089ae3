import type { Feature } from '../../core/feature.ts'

export const webhooks: Feature = {
  name: 'webhooks',
  commands: {
    subscriptions: async () => (await import('./command.ts')).subscriptions,
  },
  async data() {
    const { LEASES, SUBSCRIPTIONS } = await import('./statements.ts')
    return [LEASES, SUBSCRIPTIONS]
  },
}
