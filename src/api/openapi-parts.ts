import type { ErrorCode } from '../domain/errors.ts'
import { STATUS } from './errors.ts'

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })
const always = (description: string, value: string) => ({ description, schema: { const: value } })

/** Every header that an answer of ours may carry, by its name in the document. */
export const HEADERS = {
  AllowOrigin: always('Any page may read the answer', '*'),
  ExposeHeaders: text('The headers that a page may read', 'ETag, Link'),
  AllowMethods: text('What a page may ask for', 'GET, HEAD, OPTIONS'),
  AllowHeaders: text('What a page may send', 'X-API-KEY, Content-Type'),
  MaxAge: text('How many seconds a browser may remember this', '86400'),
  Allow: text('The methods that this path answers', 'GET, HEAD, OPTIONS'),
  NoCache: always('Keep it, and ask again with `If-None-Match` before using it', 'no-cache'),
  NoStore: always('Errors are not kept', 'no-store'),
  ContentLocation: text('The surviving passport, where another was merged into it', '/api/v1/passports/7'),
  ContentSecurityPolicy: text('What the page may load: only its own files', "default-src 'none'"),
  ContentTypeOptions: always('The type is as stated', 'nosniff'),
  Deprecation: text('Since when V1 is deprecated, in seconds since 1970 (RFC 9745)', '@1743379200'),
  ETag: text('Names these very bytes; send it back in `If-None-Match`', '"2kq0y6c4v1xzn"'),
  Link: text(
    'Where to read about the deprecation; the successor and the removal, once they are known',
    '</deprecation>; rel="deprecation"; type="text/html"',
  ),
  RequestId: text('Names this request in the log of the service', '0b5e9a52-8c0f-4f0e-9b63-2f3b5f0f7a11'),
  RateLimit: text('What is left of the limit, and for how many seconds', '"anonymous";r=999;t=8'),
  RateLimitPolicy: text('The limit: requests in a window of seconds', '"anonymous";q=1000;w=10'),
  RetryAfter: text('How many seconds to wait', '2'),
  Sunset: text('When V1 is removed, once that is known (RFC 8594)', 'Thu, 31 Dec 2026 23:59:59 GMT'),
  Vary: always('Compressed as `Accept-Encoding` allows', 'Accept-Encoding'),
  WwwAuthenticate: text('How to authenticate', 'ApiKey realm="passportd", header="X-API-KEY"'),
} as const

export type HeaderName = keyof typeof HEADERS

/** The header fields whose name in the document is another one. */
const FIELD: Partial<Record<HeaderName, string>> = {
  AllowOrigin: 'Access-Control-Allow-Origin',
  ExposeHeaders: 'Access-Control-Expose-Headers',
  AllowMethods: 'Access-Control-Allow-Methods',
  AllowHeaders: 'Access-Control-Allow-Headers',
  MaxAge: 'Access-Control-Max-Age',
  NoCache: 'Cache-Control',
  NoStore: 'Cache-Control',
  ContentLocation: 'Content-Location',
  ContentSecurityPolicy: 'Content-Security-Policy',
  ContentTypeOptions: 'X-Content-Type-Options',
  RequestId: 'X-Request-Id',
  RateLimitPolicy: 'RateLimit-Policy',
  RetryAfter: 'Retry-After',
  WwwAuthenticate: 'WWW-Authenticate',
}

export const COMMON_HEADERS: HeaderName[] = [
  'AllowOrigin',
  'ExposeHeaders',
  'ContentTypeOptions',
  'RequestId',
]

export const headerRefs = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [FIELD[name] ?? name, { $ref: `#/components/headers/${name}` }]))

/** JSON of a named schema. */
export const jsonContent = (schema: string, example: unknown) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example },
})

/** One code for each status: a brown-out has the status of the removal. */
export type DocumentedError = Exclude<ErrorCode, 'brownout'>

type ErrorDescription = { description: string; sentence: string; headers?: HeaderName[] }

const ERRORS: Record<DocumentedError, ErrorDescription> = {
  invalid_request: {
    description: 'A value will not do; the sentence says which, and what would',
    sentence: 'page must be a whole number from 1, got "zero".',
  },
  unauthorized: {
    description:
      'Unauthorized request: the key is unknown, revoked or expired, or missing where one is required',
    sentence: 'Unauthorized request.',
    headers: ['WwwAuthenticate'],
  },
  not_found: { description: 'There is no such passport', sentence: 'Resource not found.' },
  method_not_allowed: {
    description: 'Another method than GET, HEAD or OPTIONS',
    sentence: 'POST is not possible here: this API is read-only, use GET.',
    headers: ['Allow'],
  },
  uri_too_long: {
    description: 'The path and query are too long',
    sentence: 'The path and query may have at most 8192 characters.',
  },
  rate_limited: {
    description: 'Too many requests; `Retry-After` says how many seconds to wait',
    sentence: 'The limit is 1,000 requests in 10 s: try again in 7 s.',
    headers: ['RetryAfter'],
  },
  removed: {
    description: 'V1 is switched off for good, or for a while (`brownout`); the sentence says where to go',
    sentence: 'V1 was removed on 2026-12-31. See /deprecation.',
    headers: ['RetryAfter'],
  },
  internal: { description: 'A fault of the service', sentence: 'Something went wrong on our side.' },
  unavailable: {
    description: 'The service cannot reach its data right now',
    sentence: 'The service cannot reach its data right now. Try again shortly.',
    headers: ['RetryAfter'],
  },
}

/** What any path may answer, whatever it does. */
export const REQUEST_ERRORS: DocumentedError[] = ['method_not_allowed', 'uri_too_long', 'internal']

/** The responses 200 and 304. */
export function successResponses(description: string, names: readonly HeaderName[], content: object) {
  const headers = headerRefs(names)
  return {
    200: { description, headers, content },
    304: { description: 'The caller has these very bytes already', headers },
  }
}

/** The answers for these errors; `common` are the headers that all answers of the path carry. */
export function errorResponses(codes: readonly DocumentedError[], common: readonly HeaderName[]) {
  return Object.fromEntries(
    codes.map((code) => {
      const { description, sentence, headers = [] } = ERRORS[code]
      const example = { error: sentence, code, request_id: HEADERS.RequestId.example }
      return [
        STATUS[code],
        {
          description,
          headers: headerRefs([...common, 'NoStore', ...headers]),
          content: jsonContent('ErrorBody', example),
        },
      ]
    }),
  )
}

export const preflightOperation = (id: string, tag: string, common: readonly HeaderName[]) => ({
  operationId: `${id}Options`,
  summary: 'CORS preflight',
  description: 'Lets pages of any origin call this path, with `X-API-KEY` and any other header.',
  tags: [tag],
  security: [],
  responses: {
    204: {
      description: 'What a page may send',
      headers: headerRefs([...common, 'Allow', 'AllowMethods', 'AllowHeaders', 'MaxAge']),
    },
    ...errorResponses(REQUEST_ERRORS, common),
  },
})
