import type { TSchema } from 'typebox'
import type { ErrorCode } from '../domain/errors.ts'
import { STATUS } from './errors.ts'

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

/** Every header that an answer of ours may carry, by its name in the document. */
export const HEADERS = {
  AllowOrigin: text('Any page may read the answer', '*'),
  ExposeHeaders: text('The headers that a page may read', 'ETag, Link'),
  AllowMethods: text('What a page may ask for', 'GET, HEAD, OPTIONS'),
  AllowHeaders: text('What a page may send', 'X-API-KEY, Content-Type'),
  MaxAge: text('How many seconds a browser may remember this', '86400'),
  Allow: text('The methods that this path answers', 'GET, HEAD, OPTIONS'),
  CacheControl: text('`no-cache`: keep it, and ask again with `If-None-Match`', 'no-cache'),
  ContentLocation: text('The surviving passport, where another was merged into it', '/api/v1/passports/7'),
  ContentSecurityPolicy: text('What the page may load: only its own files', "default-src 'none'"),
  ContentTypeOptions: text('Always `nosniff`', 'nosniff'),
  Deprecation: text('Since when V1 is deprecated, in seconds since 1970 (RFC 9745)', '@1743379200'),
  ETag: text('Names these very bytes; send it back in `If-None-Match`', '"2kq0y6c4v1xzn"'),
  Link: text('Where to read about the deprecation', '</reference#deprecation>; rel="deprecation"'),
  RequestId: text('Names this request in the log of the service', '0b5e9a52-8c0f-4f0e-9b63-2f3b5f0f7a11'),
  RetryAfter: text('How many seconds to wait', '2'),
  WwwAuthenticate: text('How to authenticate', 'ApiKey realm="passportd", header="X-API-KEY"'),
} as const

const FIELD: Record<keyof typeof HEADERS, string> = {
  AllowOrigin: 'Access-Control-Allow-Origin',
  ExposeHeaders: 'Access-Control-Expose-Headers',
  AllowMethods: 'Access-Control-Allow-Methods',
  AllowHeaders: 'Access-Control-Allow-Headers',
  MaxAge: 'Access-Control-Max-Age',
  Allow: 'Allow',
  CacheControl: 'Cache-Control',
  ContentLocation: 'Content-Location',
  ContentSecurityPolicy: 'Content-Security-Policy',
  ContentTypeOptions: 'X-Content-Type-Options',
  Deprecation: 'Deprecation',
  ETag: 'ETag',
  Link: 'Link',
  RequestId: 'X-Request-Id',
  RetryAfter: 'Retry-After',
  WwwAuthenticate: 'WWW-Authenticate',
}

export type HeaderName = keyof typeof HEADERS

export const COMMON_HEADERS: HeaderName[] = [
  'AllowOrigin',
  'ExposeHeaders',
  'ContentTypeOptions',
  'RequestId',
]

export const headerRefs = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [FIELD[name], { $ref: `#/components/headers/${name}` }]))

export const jsonContent = (schema: TSchema | { $ref: string }, example: unknown) => ({
  'application/json': { schema, example },
})

const ERROR_HEADERS: Partial<Record<ErrorCode, HeaderName[]>> = {
  unauthorized: ['WwwAuthenticate'],
  method_not_allowed: ['Allow'],
  unavailable: ['RetryAfter'],
}

/** What any path may answer, whatever it does. */
export const REQUEST_ERRORS: Partial<Record<ErrorCode, string>> = {
  method_not_allowed: 'POST is not possible here: this API is read-only, use GET.',
  uri_too_long: 'The address may have at most 8192 characters.',
  headers_too_large: 'The headers may have at most 16384 characters.',
  internal: 'Something went wrong on our side.',
}

export const UNAVAILABLE = {
  unavailable: 'The service cannot reach its data right now. Try again shortly.',
}

/** The answers for these errors; `common` are the headers that all answers of the path carry. */
export function errorResponses(errors: Partial<Record<ErrorCode, string>>, common: readonly HeaderName[]) {
  return Object.fromEntries(
    (Object.entries(errors) as [ErrorCode, string][]).map(([code, sentence]) => [
      STATUS[code],
      {
        description: sentence,
        headers: headerRefs([...common, 'CacheControl', ...(ERROR_HEADERS[code] ?? [])]),
        content: jsonContent(
          { $ref: '#/components/schemas/ErrorBody' },
          { error: sentence, code, request_id: HEADERS.RequestId.example },
        ),
      },
    ]),
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
