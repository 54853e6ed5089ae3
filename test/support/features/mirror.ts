export { MIRROR } from '../../../src/features/mirror/statements.ts'
