export { createLog } from '../../../src/core/basics/log.ts'
