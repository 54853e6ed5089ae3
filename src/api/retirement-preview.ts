import { unauthorized } from '../domain/errors.ts'
import type { DatedPlan } from '../domain/retirement.ts'
import { type ErrorReply, presentError } from './errors.ts'
import { checkBrownout, checkRemoval, retirementHeaders } from './retirement.ts'

export type PreviewRequest = { now: number; key: string | undefined; requireKey: boolean }

/** What a V1 client gets at that instant because of the plan; an empty body where the plan changes nothing. */
export function previewRetirement(plan: DatedPlan, { now, key, requireKey }: PreviewRequest): ErrorReply {
  const headers = retirementHeaders(plan, plan.deprecatedAt)
  try {
    checkRemoval(plan, now)
    if (requireKey && key === undefined) throw unauthorized()
    checkBrownout(plan, now, key)
    return { status: 200, headers, body: '' }
  } catch (error) {
    const reply = presentError(error, 'rehearsal')
    return { ...reply, headers: { ...headers, ...reply.headers } }
  }
}
