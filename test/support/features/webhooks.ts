export { LEASES, SUBSCRIPTIONS } from '../../../src/features/webhooks/statements.ts'
