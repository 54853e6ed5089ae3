import { describe, expect, test } from 'bun:test'
import { type DatedPlan, findPlanProblem, nextChange, phaseAt } from '../../../src/features/retire/plan.ts'

const PLAN: DatedPlan = {
  deprecatedAt: 100,
  sunsetAt: 900,
  brownouts: [
    { start: 200, end: 300 },
    { start: 300, end: 400 },
  ],
  exempt: [],
}

describe('a retirement plan', () => {
  test('passes through its phases in order', () => {
    const at = (now: number) => [phaseAt(PLAN, now), nextChange(PLAN, now)?.at, nextChange(PLAN, now)?.to]
    expect([99, 100, 200, 299, 300, 400, 899, 900].map(at)).toEqual([
      ['announced', 100, 'deprecated'],
      ['deprecated', 200, 'brownout'],
      ['brownout', 300, 'brownout-end'],
      ['brownout', 300, 'brownout-end'],
      ['brownout', 400, 'brownout-end'],
      ['deprecated', 900, 'removed'],
      ['deprecated', 900, 'removed'],
      ['removed', undefined, undefined],
    ])
  })

  test('must have its dates in order, but one brownout can end at the moment when the next one or the sunset begins', () => {
    expect(findPlanProblem(PLAN)).toBeUndefined()
    expect(findPlanProblem({ ...PLAN, sunsetAt: 400 })).toBeUndefined()
    expect(findPlanProblem({ ...PLAN, brownouts: [], sunsetAt: 99 })).toContain('must not lie before')
    expect(findPlanProblem({ ...PLAN, sunsetAt: 399 })).toContain('must end before the sunset')
    const overlapping = [...PLAN.brownouts, { start: 399, end: 500 }]
    expect(findPlanProblem({ ...PLAN, brownouts: overlapping })).toContain('overlap')
  })
})
