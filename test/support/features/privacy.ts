export { EXPORTS } from '../../../src/features/privacy/subject-statements.ts'
