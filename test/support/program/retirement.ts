export { datePlan, NO_PLAN } from '../../../src/features/retire/plan.ts'
