import type { RetirementPlan } from '../domain/retirement.ts'
import type { Tier } from '../domain/tier.ts'
import { etagOf } from '../store/hash.ts'
import type { Limiter } from './rate-limit.ts'
import { allowedMethods, type Context, type Route } from './request.ts'
import { retirementHeaders } from './retirement.ts'

/** Any page may read every response and all of its headers. */
const COMMON_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Allow, Content-Location, Deprecation, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id',
  'X-Content-Type-Options': 'nosniff',
}

/** Caches may keep a response, but must revalidate it before each use: data changes at any time. */
export const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' }

/** The headers on which the responses to a request are built. Copying them costs less than setting each. */
export const baseHeaders = (headers: Readonly<Record<string, string>>): Headers =>
  new Headers({ ...COMMON_HEADERS, ...JSON_HEADERS, ...headers })

/** A response with a JSON body. */
export function json({ headers }: Pick<Context, 'headers'>, body: string, etag = etagOf(body)): Response {
  const response = new Response(body, { headers })
  response.headers.set('ETag', etag)
  return response
}

/** The response to OPTIONS, with or without the headers of a CORS preflight. */
export function preflight({ headers }: Pick<Context, 'headers'>, route: Route): Response {
  const response = new Response(null, { status: 204, headers })
  for (const name in JSON_HEADERS) response.headers.delete(name)
  const methods = allowedMethods(route)
  response.headers.set('Allow', methods)
  response.headers.set('Access-Control-Allow-Methods', methods)
  // The star stands for all but Authorization; older browsers do not know it.
  response.headers.set(
    'Access-Control-Allow-Headers',
    'X-API-KEY, Content-Type, Authorization, If-None-Match, X-Request-Id, *',
  )
  response.headers.set('Access-Control-Max-Age', '86400')
  return response
}

/** Whether `If-None-Match` names the ETag, also with `W/` as RFC 9110 asks. */
export function matchesEtag(condition: string, etag: string): boolean {
  return (
    condition === etag ||
    condition.trim() === '*' ||
    condition.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  )
}

type V1HeaderOptions = { plan: () => RetirementPlan; deprecatedAt: number; limiter: Limiter }

/** The headers of all V1 responses of a tier, which change with the plan only. */
export function createV1Headers({ plan, deprecatedAt, limiter }: V1HeaderOptions) {
  let known: RetirementPlan | undefined
  const byTier = new Map<Tier | undefined, Headers>()

  return (tier: Tier | undefined) => {
    const current = plan()
    if (current !== known) byTier.clear()
    known = current
    let headers = byTier.get(tier)
    if (!headers) {
      headers = baseHeaders({
        ...retirementHeaders(current, deprecatedAt),
        ...(tier && { 'RateLimit-Policy': limiter.policyOf(tier) }),
      })
      byTier.set(tier, headers)
    }
    return headers
  }
}
