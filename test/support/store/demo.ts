export { fillWithDemo } from '../../../src/features/demo/fill-with-demo.ts'
