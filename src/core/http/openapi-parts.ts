import { type ErrorCode, NOT_SIGNED } from '../basics/errors.ts'

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })
const always = (description: string, value: string) => ({ description, schema: { const: value } })

/** All headers of our responses. Each key of this object is the name of a header, or a key of `FIELDS`. */
export const HEADERS = {
  'Access-Control-Allow-Origin': always('Any page may read the response', '*'),
  'Access-Control-Expose-Headers': text('The headers that a page may read', 'ETag, Link'),
  Allow: text('Methods of this path', 'GET, HEAD, OPTIONS'),
  'Event-Cursor': text('The end of the event log after the write', 'k3f9a2-918273'),
  Immutable: {
    description: 'A response never changes; `private` if the operator requires keys',
    schema: { enum: ['public', 'private'].map((scope) => `${scope}, max-age=31536000, immutable`) },
    example: 'public, max-age=31536000, immutable',
  },
  NoCache: always('Caches must revalidate with `If-None-Match` before each use', 'no-cache'),
  NoStore: always('Errors and personal data are not cached', 'no-store'),
  'Content-Location': text('Path of the surviving passport after a merge', '/api/v3/passports/42'),
  'X-Content-Type-Options': always('Browsers must not guess the type', 'nosniff'),
  Deprecation: text('Deprecation date of V1 and V2, in seconds since 1970 (RFC 9745)', '@1743379200'),
  Connection: always('The rest of the body is not read', 'close'),
  ETag: text('Identifies the body; send it in `If-None-Match`', '"2kq0y6c4v1xzn"'),
  Link: text(
    'The deprecation page; the successor and the removal, once known',
    '</deprecation>; rel="deprecation"; type="text/html"',
  ),
  NextLink: text(
    'The next page, unless this is the last',
    '</api/v3/passports?cursor=MjYgNyA0YjFkMGM5Zg>; rel="next"',
  ),
  'X-Accel-Buffering': always('Streams only: proxies must not buffer events', 'no'),
  'X-Request-Id': text(
    'Identifies the request in the log of the service',
    '0b5e9a52-8c0f-4f0e-9b63-2f3b5f0f7a11',
  ),
  RateLimit: text('Remaining requests, and seconds until the window ends', '"anonymous";r=999;t=8'),
  'RateLimit-Policy': text('The limit: requests per window of seconds', '"anonymous";q=1000;w=10'),
  'Retry-After': text('Seconds to wait', '2'),
  Sunset: text('Removal date of V1 and V2, once known (RFC 8594)', 'Thu, 31 Dec 2026 23:59:59 GMT'),
  Vary: always('The body is compressed as `Accept-Encoding` allows', 'Accept-Encoding'),
  VaryAccept: always('`Accept` chooses the type of the body', 'Accept'),
  VaryPage: always('A page has the same path: `Accept` and the key choose', 'Accept, X-API-KEY'),
  'WWW-Authenticate': text('How to authenticate', 'ApiKey realm="passportd", header="X-API-KEY"'),
} as const

export type HeaderName = keyof typeof HEADERS

/** The names of headers that have several entries in `HEADERS`. */
export const FIELDS: Partial<Record<HeaderName, string>> = {
  Immutable: 'Cache-Control',
  NoCache: 'Cache-Control',
  NoStore: 'Cache-Control',
  NextLink: 'Link',
  VaryAccept: 'Vary',
  VaryPage: 'Vary',
}

export const COMMON_HEADERS: readonly HeaderName[] = [
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'X-Content-Type-Options',
  'X-Request-Id',
]

/** One code per status: `ambiguous` also means `calculating`, `removed` `brownout`, and `unavailable` `behind`. */
export type DocumentedError = Exclude<ErrorCode, 'behind' | 'brownout' | 'calculating'>

/** `sentence` and `members` appear in the example of the error. */
type ErrorDescription = {
  description: string
  sentence: string
  headers?: HeaderName[]
  members?: Readonly<Record<string, unknown>>
}

export const ERRORS: Record<DocumentedError, ErrorDescription> = {
  invalid_request: {
    description: 'A parameter or `Host` is invalid; the message names it and the accepted values',
    sentence: 'page must be a whole number from 1, got "zero".',
  },
  unauthorized: {
    description:
      'Unauthorized request: the key is unknown, revoked or expired, or it is required and missing',
    sentence: 'Unauthorized request.',
    headers: ['WWW-Authenticate'],
  },
  forbidden: {
    description: 'The key lacks the scope, or it is publishable and not sent from a page of its origins',
    sentence:
      'A publishable key is valid only on pages of its origins, not of "https://b.example": the operator can change them with "passportd keys set 0b5e9a528c --origin".',
  },
  not_found: { description: 'The passport does not exist', sentence: 'Resource not found.' },
  before_history: {
    description: 'The time is before the log began: `known_since` is its beginning',
    sentence: 'as_of is 2020-01-01T00:00:00.000Z, but changes are known since 2026-11-02T09:18:56.019Z.',
    members: { known_since: '2026-11-02T09:18:56.019Z' },
  },
  method_not_allowed: {
    description: 'The path does not have this method: `Allow` names those that it has',
    sentence: 'PUT is not possible here: use GET.',
    headers: ['Allow'],
  },
  not_acceptable: {
    description: '`Accept` asks for a signed snapshot, and the service does not sign',
    sentence: `${NOT_SIGNED} Accept application/json.`,
  },
  ambiguous: {
    description: 'The handle belongs to several passports: `candidates` has their ids, at most 10',
    sentence: '"github:zoe" is a handle of the passports 7, 12: use an id.',
    headers: ['Retry-After'],
    members: { candidates: [7, 12] },
  },
  precondition_failed: {
    description: 'The body does not have an `ETag` of `If-Match`',
    sentence: 'If-Match does not contain the current ETag: send the request without it.',
  },
  content_too_large: {
    description: 'The body is larger than 1 MiB',
    sentence: 'The body may have at most 1048576 bytes.',
    headers: ['Connection'],
  },
  uri_too_long: {
    description: 'The path and query are too long',
    sentence: 'The path and query may have at most 8192 characters.',
  },
  unsupported_media_type: {
    description: 'The body is not `application/json`',
    sentence: 'Content-Type must be application/json, got "text/plain".',
  },
  rate_limited: {
    description: 'Too many requests; `Retry-After` is the number of seconds to wait',
    sentence: 'The limit is 1,000 requests in 10 s: try again in 7 s.',
    headers: ['Retry-After'],
  },
  removed: {
    description: 'The API was removed or is switched off (`brownout`); the message names the successor',
    sentence: 'V1 was removed on 2026-12-31. See /deprecation.',
    headers: ['Retry-After'],
  },
  cursor_expired: {
    description:
      'The log does not have all events after the cursor: they were pruned, or the cursor is of another log. `oldest_cursor` is the oldest valid cursor',
    sentence:
      'The events after k3f9a2-17 are not known: read the passports again, and continue after 8c1f0a-4000 or latest.',
    members: { oldest_cursor: '8c1f0a-4000' },
  },
  overloaded: {
    description:
      'The database is unavailable (`unavailable`), or the server has too many requests or open streams',
    sentence: 'The server has too many open streams. Try again shortly.',
    headers: ['Retry-After'],
  },
  not_ready: {
    description:
      'The database is unavailable (`unavailable`), the index for filters is being built, or the server has too many requests or open streams (`overloaded`)',
    sentence: 'The index for filters is being built. Try again shortly.',
    headers: ['Retry-After'],
  },
  internal: { description: 'An internal error', sentence: 'Something went wrong on our side.' },
  unavailable: {
    description: 'The database is unavailable, or the server has too many requests (`overloaded`)',
    sentence: 'The service cannot reach its data right now. Try again shortly.',
    headers: ['Retry-After'],
  },
}

export const COMMON_ERRORS: readonly DocumentedError[] = [
  'invalid_request',
  'method_not_allowed',
  'uri_too_long',
  'internal',
]
