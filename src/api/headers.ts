import type { RetirementPlan } from '../domain/retirement.ts'
import type { Tier } from '../domain/tier.ts'
import { type Answer, JSON_HEADERS } from './answer.ts'
import { CORS_HEADERS } from './cors.ts'
import type { Limiter } from './limits.ts'
import { retirementHeaders } from './retirement.ts'
import { headOf } from './wire/reply.ts'

const COMMON_HEADERS = { ...CORS_HEADERS, 'X-Content-Type-Options': 'nosniff' }

/** The head of an answer that is not V1's, but for what differs each time. */
export const commonHead = (status: number, answer: Answer) =>
  headOf(status, { ...COMMON_HEADERS, ...fieldsOf(status, answer) })

/** What a caller has already has its type already. */
function fieldsOf(status: number, { headers }: Answer): Record<string, string> {
  if (status !== 304) return headers
  const { 'Content-Type': _, ...others } = headers
  return others
}

type Options = { plan: () => RetirementPlan; deprecatedAt: number; limiter: Limiter }
type Heads = { found: string; unchanged: string }

/**
 * The heads of V1's answers, but for what differs each time. Most answers have the same one, which changes with the plan
 * alone.
 */
export function createV1Heads({ plan, deprecatedAt, limiter }: Options) {
  let known: RetirementPlan | undefined
  let usual = new Map<Tier | undefined, Heads>()

  /** With the policy of the tier, where its limit was counted on. */
  function make(status: number, answer: Answer, tier: Tier | undefined): string {
    return headOf(status, {
      ...COMMON_HEADERS,
      ...retirementHeaders(plan(), deprecatedAt),
      ...(tier && { 'RateLimit-Policy': limiter.policyOf(tier) }),
      ...fieldsOf(status, answer),
    })
  }

  return (status: number, answer: Answer, tier: Tier | undefined): string => {
    if (answer.headers !== JSON_HEADERS) return make(status, answer, tier)
    if (plan() !== known) {
      known = plan()
      usual = new Map()
    }
    let heads = usual.get(tier)
    if (!heads) {
      heads = { found: make(200, answer, tier), unchanged: make(304, answer, tier) }
      usual.set(tier, heads)
    }
    return status === 304 ? heads.unchanged : heads.found
  }
}
