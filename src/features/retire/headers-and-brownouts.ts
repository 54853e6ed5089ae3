import { ServiceError } from '../../core/basics/errors.ts'
import type { Guard } from '../../core/http/route.ts'
import { brownoutAt, DEFAULT_SUCCESSOR, isRemoved, type RetirementPlan } from './plan.ts'

/**
 * Announces the end of the versions that the plan applies to, and refuses their requests. A removal is checked before
 * keys, because this check does not read the store. `deprecatedAt` is used for plans without a date of their own.
 */
export function createRetirementGuard(plan: () => RetirementPlan, deprecatedAt: number | undefined): Guard {
  let knownPlan = plan()
  let headers = retirementHeaders(knownPlan, deprecatedAt)
  return {
    isFor: ({ retires }) => retires !== undefined,
    headers() {
      if (plan() !== knownPlan) headers = retirementHeaders(plan(), deprecatedAt)
      knownPlan = plan()
      return headers
    },
    checkFirst: ({ route, time }) => checkRemoval(plan(), time, route.surface.retires),
    check: ({ route, time, principal }) => checkBrownout(plan(), time, principal.id, route.surface.retires),
  }
}

/** The headers about the end of V1 and V2 (RFC 9745, RFC 8594). */
export function retirementHeaders(plan: RetirementPlan, byDefault?: number): Record<string, string> {
  const deprecatedAt = plan.deprecatedAt ?? byDefault
  const links = [
    '</deprecation>; rel="deprecation"; type="text/html"',
    `<${plan.successor ?? DEFAULT_SUCCESSOR}>; rel="successor-version"`,
  ]
  if (plan.sunsetAt !== undefined) links.push('</deprecation>; rel="sunset"; type="text/html"')
  return {
    ...(deprecatedAt !== undefined && { Deprecation: `@${Math.floor(deprecatedAt / 1000)}` }),
    Link: links.join(', '),
    ...(plan.sunsetAt !== undefined && { Sunset: new Date(plan.sunsetAt).toUTCString() }),
  }
}

/** Throws `removed` from the sunset on. `version` names the API in the message. */
export function checkRemoval(plan: RetirementPlan, now: number, version = 'V1'): void {
  if (plan.sunsetAt === undefined || !isRemoved(plan, now)) return
  const day = new Date(plan.sunsetAt).toISOString().slice(0, 10)
  throw new ServiceError('removed', `${version} was removed on ${day}. ${adviceOf(plan)}`)
}

/** Throws `brownout` during a brownout, unless the key is exempt. */
export function checkBrownout(plan: RetirementPlan, now: number, keyId = '', version = 'V1'): void {
  const brownout = brownoutAt(plan, now)
  if (!brownout || plan.exempt.includes(keyId)) return
  const end = new Date(brownout.end).toISOString()
  throw new ServiceError(
    'brownout',
    `${version} is switched off until ${end}, to show what its removal will mean. ${adviceOf(plan)}`,
    { headers: { 'Retry-After': String(Math.ceil((brownout.end - now) / 1000)) } },
  )
}

const adviceOf = ({ successor }: RetirementPlan) =>
  successor === undefined ? 'See /deprecation.' : `Use ${successor} instead.`
