import { STATUS_CODES } from 'node:http'
import type { TSchema } from 'typebox'
import { KEY_NEEDED, ServiceError, STATUS_OF } from '../basics/errors.ts'
import type { Actor } from '../history/event.ts'
import * as eventSchemas from '../history/event-schema.ts'
import { type ErrorResponse, errorHeaders, publicError } from '../http/errors.ts'
import { COMMON_ERRORS, COMMON_HEADERS } from '../http/openapi-parts.ts'
import type { Context, Surface } from '../http/route.ts'
import { unknownPaths } from '../http/unknown-path.ts'
import { parametersOf } from './parameters.ts'
import * as schemas from './schemas.ts'

/** The names of schemas of v3 in the OpenAPI document. */
export const asSchemasOfV3 = (namedSchemas: Readonly<Record<string, TSchema>>) =>
  Object.fromEntries(Object.entries(namedSchemas).map(([name, schema]) => [`V3${name}`, schema]))

export const V3: Surface = {
  usesKeys: true,
  presentError: presentProblem,
  parseQuery: parametersOf,
  ignoresSlash: true,
  bytes: 256 * 1024,
  tag: {
    name: 'V3',
    description:
      'V3 is the successor of V1. `null` is unknown and `0` is zero. The `{key}` of a passport is its id, a wallet, or a source and a name such as `github:zoe`. Unknown parameters are errors. The body of every error is `application/problem+json` with a stable `code`, and `errors` names the invalid values.',
  },
  headers: [...COMMON_HEADERS, 'RateLimit', 'RateLimit-Policy'],
  errors: [...COMMON_ERRORS, 'content_too_large', 'unauthorized', 'forbidden', 'rate_limited', 'unavailable'],
  errorSchema: schemas.Problem,
  schemas: asSchemasOfV3({ ...schemas, ...eventSchemas }),
}

/** After all other routes of v3. */
export const UNKNOWN_PATHS = unknownPaths(
  V3,
  '/api/v3',
  'v3_other',
  'There is no such path in v3: /openapi.json and /reference/v3 list the paths.',
)

export const KEY = {
  description:
    'Digits only: a passport id. A source and a name with a colon between them: a social profile or an account, in any letter case. Otherwise: a wallet; `0x` addresses in any letter case.',
  example: '42',
}

/** The actor of the changes that a request makes. Only a command makes changes without a key. */
export const actorOf = ({ principal: { id } }: Context): Actor => (id === '' ? 'cli' : `key:${id}`)

export const listParameter = (description: string, items: object, more: object = {}) => ({
  description,
  schema: { type: 'array', items, ...more },
  style: 'form' as const,
  explode: false as const,
})

function presentProblem(error: unknown, requestId: string): ErrorResponse {
  const { code, message } = publicError(error)
  const status = STATUS_OF[code]
  const { invalid = [], members = {} } = error instanceof ServiceError ? error : {}
  // Node still has the old name of status 413.
  const title = status === 413 ? 'Content Too Large' : (STATUS_CODES[status] ?? '')
  const problem = {
    type: 'about:blank',
    title,
    status,
    detail: code === 'unauthorized' ? KEY_NEEDED : message,
    code,
    request_id: requestId,
    errors:
      code === 'invalid_request' && invalid.length === 0 ? [{ pointer: '#', detail: message }] : [...invalid],
  } satisfies schemas.WireProblem
  const headers = errorHeaders(error, code, 'application/problem+json')
  return { status, headers, body: JSON.stringify({ ...problem, ...members }) }
}
