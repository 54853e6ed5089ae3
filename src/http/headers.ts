import type { RetirementPlan } from '../domain/retirement.ts'
import type { Tier } from '../domain/tier.ts'
import { type Answer, JSON_HEADERS } from './answer.ts'
import { CORS_HEADERS } from './cors.ts'
import type { Limiter } from './limits.ts'
import { retirementHeaders } from './retirement.ts'

export const COMMON_HEADERS = { ...CORS_HEADERS, 'X-Content-Type-Options': 'nosniff' }

type Options = { plan: () => RetirementPlan; deprecatedAt: number; limiter: Limiter }

/**
 * The headers of V1's answers, but for those that differ each time. Most answers have the same ones, which change with
 * the plan alone: a copy of them is cheaper than to put them together again.
 */
export function createV1Headers({ plan, deprecatedAt, limiter }: Options) {
  let known: RetirementPlan | undefined
  let usual = new Map<Tier | undefined, Headers>()

  /** With the policy of the tier, where its limit was counted on. */
  function make(answer: Answer, tier: Tier | undefined): Headers {
    return new Headers({
      ...COMMON_HEADERS,
      ...retirementHeaders(plan(), deprecatedAt),
      ...(tier && { 'RateLimit-Policy': limiter.policyOf(tier) }),
      ...answer.headers,
    })
  }

  return (answer: Answer, tier: Tier | undefined): Headers => {
    if (answer.headers !== JSON_HEADERS) return make(answer, tier)
    if (plan() !== known) {
      known = plan()
      usual = new Map()
    }
    let headers = usual.get(tier)
    if (!headers) {
      headers = make(answer, tier)
      usual.set(tier, headers)
    }
    return headers
  }
}
