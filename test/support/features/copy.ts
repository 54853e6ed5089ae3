export { COPY } from '../../../src/features/copy/statements.ts'
