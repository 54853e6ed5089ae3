export { createWindowMemory } from '../../../src/core/basics/fixed-window.ts'
export { createLimiter } from '../../../src/core/http/rate-limit.ts'
export { createRequestCounter, type UsageCount } from '../../../src/core/http/request-counter.ts'
