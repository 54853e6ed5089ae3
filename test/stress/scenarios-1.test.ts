import { testScenarios } from '../support/stress.ts'

testScenarios(0)
