export { PROOFS, REQUESTS } from '../../../src/features/own-record/statements.ts'
