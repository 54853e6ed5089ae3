import { testParts } from '../support/torture.ts'

testParts(2)
