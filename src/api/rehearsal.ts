import { unauthorized } from '../domain/errors.ts'
import type { DatedPlan } from '../domain/retirement.ts'
import type { TextAnswer } from './answer.ts'
import { presentError } from './errors.ts'
import { checkBrownout, checkRemoval, retirementHeaders } from './retirement.ts'

export type Rehearsed = { now: number; key: string | undefined; requireKey: boolean }

/** What the plan makes of a V1 answer at that instant; where it leaves the answer alone, the body is empty. */
export function rehearse(plan: DatedPlan, { now, key, requireKey }: Rehearsed): TextAnswer {
  const headers = retirementHeaders(plan, plan.deprecatedAt)
  try {
    checkRemoval(plan, now)
    if (requireKey && key === undefined) throw unauthorized()
    checkBrownout(plan, now, key)
    return { status: 200, headers, body: '' }
  } catch (error) {
    const answer = presentError(error, 'rehearsal')
    return { ...answer, headers: { ...headers, ...answer.headers } }
  }
}
