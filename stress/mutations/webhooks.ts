import type { Mutation } from './mutation.ts'

const ADDRESSES = ['test/system/features/webhooks/ssrf.test.ts']
const STATES = ['test/features/webhooks/delivery-states.test.ts']

/** Mutations of webhooks. */
export const WEBHOOK_MUTATIONS: readonly Mutation[] = [
  {
    name: 'webhooks: one public address of a host is enough',
    file: 'src/features/webhooks/send.ts',
    from: 'addresses.every(',
    to: 'addresses.some(',
    tests: ADDRESSES,
  },
  {
    name: 'webhooks: the address of a URL is not checked',
    file: 'src/features/webhooks/send.ts',
    from: 'if (isIP(host) !== 0 && ',
    to: 'if (isIP(host) === 9 && ',
    tests: ADDRESSES,
  },
  {
    name: 'webhooks: all IPv6 addresses outside of private networks are public',
    file: 'src/features/webhooks/receiver-address.ts',
    from: 'return isIP(address) === 4 || isPublicIpv6(address)',
    to: 'return true',
    tests: ADDRESSES,
  },
  {
    name: 'webhooks: an event is skipped after its first failed attempt',
    file: 'src/features/webhooks/deliver-events.ts',
    from: 'reply.status >= 200 && reply.status < 300',
    to: 'reply.status >= 200',
    tests: STATES,
  },
  {
    name: 'webhooks: a subscription that was set back is not delivered again',
    file: 'src/features/webhooks/statements.ts',
    from: '(log <> $2 or position <> $3)',
    to: '(log = $2 and last_delivered_at is null)',
    tests: STATES,
  },
  {
    name: 'webhooks: a subscription stays before the events that its filter leaves out',
    file: 'src/features/webhooks/deliver-events.ts',
    from: 'page.end > turn.subscription.cursor.sequence',
    to: 'page.end < turn.subscription.cursor.sequence',
    tests: STATES,
  },
]
