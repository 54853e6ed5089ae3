export { FEATURES } from '../../../src/features.ts'
