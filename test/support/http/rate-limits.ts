export { createWindowMemory } from '../../../src/core/http/fixed-window.ts'
export { createLimiter } from '../../../src/core/http/rate-limit.ts'
export { createRequestCounter, type UsageCount } from '../../../src/core/http/request-counter.ts'
