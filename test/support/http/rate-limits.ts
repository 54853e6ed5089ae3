export { createLimiter, createWindowMemory } from '../../../src/core/http/rate-limit.ts'
export { createUsageCounter } from '../../../src/features/keys/usage-counter.ts'
