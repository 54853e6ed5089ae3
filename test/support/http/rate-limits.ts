export { createRequestCounter, type UsageCount } from '../../../src/core/http/request-counter.ts'
