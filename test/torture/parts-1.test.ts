import { testParts } from '../support/torture.ts'

testParts(0)
