import { ServiceError } from '../domain/errors.ts'
import type { Brownout, RetirementPlan } from '../domain/retirement.ts'

/** The headers that tell callers of V1 how it ends (RFC 9745, RFC 8594), and where to read more. */
export function retirementHeaders(plan: RetirementPlan, deprecatedAt: number): Record<string, string> {
  const links = ['</deprecation>; rel="deprecation"; type="text/html"']
  if (plan.successor !== undefined) links.push(`<${plan.successor}>; rel="successor-version"`)
  if (plan.sunsetAt !== undefined) links.push('</deprecation>; rel="sunset"; type="text/html"')
  return {
    Deprecation: `@${Math.floor((plan.deprecatedAt ?? deprecatedAt) / 1000)}`,
    Link: links.join(', '),
    ...(plan.sunsetAt !== undefined && { Sunset: new Date(plan.sunsetAt).toUTCString() }),
  }
}

/** Throws `removed` after the sunset, and `brownout` during one, unless the key is spared. */
export function checkRetirement(plan: RetirementPlan, now: number, key: string | undefined): void {
  const instead = plan.successor === undefined ? 'See /deprecation.' : `Use ${plan.successor} instead.`
  if (plan.sunsetAt !== undefined && now >= plan.sunsetAt) {
    throw new ServiceError('removed', `V1 was removed on ${day(plan.sunsetAt)}. ${instead}`)
  }
  const brownout = brownoutAt(plan, now)
  if (!brownout || (key !== undefined && plan.exempt.includes(key))) return
  const end = new Date(brownout.end).toISOString()
  throw new ServiceError(
    'brownout',
    `V1 is switched off until ${end}, to show what its removal will mean. ${instead}`,
    { headers: { 'Retry-After': String(Math.ceil((brownout.end - now) / 1000)) } },
  )
}

export const brownoutAt = ({ brownouts }: RetirementPlan, now: number): Brownout | undefined =>
  brownouts.find(({ start, end }) => start <= now && now < end)

const day = (time: number) => new Date(time).toISOString().slice(0, 10)
