export { USAGE } from '../../../src/features/keys/usage-statements.ts'
