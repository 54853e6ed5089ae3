import { ServiceError } from '../domain/errors.ts'
import { brownoutAt, isRemoved, type RetirementPlan } from '../domain/retirement.ts'

/** The headers that tell callers of V1 how it ends (RFC 9745, RFC 8594), and where to read more. */
export function retirementHeaders(plan: RetirementPlan, deprecatedAt: number): Record<string, string> {
  const links = ['</deprecation>; rel="deprecation"; type="text/html"']
  if (plan.successor !== undefined) links.push(`<${plan.successor}>; rel="successor-version"`)
  if (plan.sunsetAt !== undefined) links.push('</deprecation>; rel="sunset"; type="text/html"')
  return {
    Deprecation: `@${Math.floor((plan.deprecatedAt ?? deprecatedAt) / 1000)}`,
    Link: links.join(', '),
    // The form of toUTCString is that of HTTP dates.
    ...(plan.sunsetAt !== undefined && { Sunset: new Date(plan.sunsetAt).toUTCString() }),
  }
}

/** Throws `removed` after the sunset, whoever asks. */
export function checkRemoval(plan: RetirementPlan, now: number): void {
  if (plan.sunsetAt === undefined || !isRemoved(plan, now)) return
  const day = new Date(plan.sunsetAt).toISOString().slice(0, 10)
  throw new ServiceError('removed', `V1 was removed on ${day}. ${instead(plan)}`)
}

/** Throws `brownout` during one, unless the key is spared. */
export function checkBrownout(plan: RetirementPlan, now: number, key: string | undefined): void {
  const brownout = brownoutAt(plan, now)
  if (!brownout || (key !== undefined && plan.exempt.includes(key))) return
  const end = new Date(brownout.end).toISOString()
  throw new ServiceError(
    'brownout',
    `V1 is switched off until ${end}, to show what its removal will mean. ${instead(plan)}`,
    { headers: { 'Retry-After': String(Math.ceil((brownout.end - now) / 1000)) } },
  )
}

const instead = ({ successor }: RetirementPlan) =>
  successor === undefined ? 'See /deprecation.' : `Use ${successor} instead.`
