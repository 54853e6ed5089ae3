import { unauthorized } from '../domain/errors.ts'
import type { DatedPlan } from '../domain/retirement.ts'
import { type ErrorResponse, presentError } from './errors.ts'
import { checkBrownout, checkRemoval, retirementHeaders } from './retirement.ts'

type PreviewRequest = { now: number; key: string | undefined; requireKey: boolean }

/** The effect of the plan on a V1 response at that instant; an empty body if the plan changes nothing. */
export function previewRetirement(plan: DatedPlan, { now, key, requireKey }: PreviewRequest): ErrorResponse {
  const headers = retirementHeaders(plan, plan.deprecatedAt)
  try {
    checkRemoval(plan, now)
    if (requireKey && key === undefined) throw unauthorized()
    checkBrownout(plan, now, key)
    return { status: 200, headers, body: '' }
  } catch (error) {
    const reply = presentError(error, 'preview')
    return { ...reply, headers: { ...headers, ...reply.headers } }
  }
}
