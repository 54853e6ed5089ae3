import type { Answer } from './answer.ts'

/** The methods of every path. */
export const METHODS = 'GET, HEAD, OPTIONS'

/** Any page may read any answer, with all that it says about itself. */
export const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Allow, Content-Location, Deprecation, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id',
}

/** The answer to OPTIONS, with or without a preflight's headers. */
export function preflight(): Answer {
  return {
    status: 204,
    headers: {
      Allow: METHODS,
      'Access-Control-Allow-Methods': METHODS,
      // The star stands for all but Authorization; older browsers do not know it.
      'Access-Control-Allow-Headers':
        'X-API-KEY, Content-Type, Authorization, If-None-Match, X-Request-Id, *',
      'Access-Control-Max-Age': '86400',
    },
    body: '',
  }
}
