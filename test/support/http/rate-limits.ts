export { createLimiter, createWindowMemory } from '../../../src/core/http/rate-limit.ts'
export { createRequestCounter, type UsageCount } from '../../../src/core/http/request-counter.ts'
