import type { TSchema } from 'typebox'
import * as recordSchemas from '../domain/record/schemas.ts'
import * as v1Schemas from '../domain/v1/schemas.ts'
import * as v2Schemas from '../domain/v2/schemas.ts'
import * as v3EventSchemas from '../domain/v3/event-schema.ts'
import * as v3Schemas from '../domain/v3/schemas.ts'
import {
  COMMON_ERRORS,
  COMMON_HEADER_NAMES,
  type DocumentedError,
  errorResponses,
  HEADERS,
  type HeaderName,
  preflightOperation,
  successResponses,
} from './openapi-parts.ts'
import { V1_PATHS, V2_PATHS } from './v1/openapi.ts'
import { V3_PATHS } from './v3/openapi.ts'
import { V3_EVENT_PATHS } from './v3/openapi-events.ts'

/** The OpenAPI document. Its schemas are the ones that the code uses. */
export function createOpenApi(version: string, { compatV2 = true } = {}) {
  return {
    openapi: '3.2.0',
    info: {
      title: 'passportd',
      version,
      summary: 'Professional-reputation records: the frozen V1 API, and its successor v3',
      description:
        'A passport is a person’s professional-reputation record: scores, profile, verified wallets, linked socials, scored credentials.',
    },
    servers: [{ url: '/', description: 'The service that serves this document' }],
    tags: [
      V1_TAG,
      ...(compatV2 ? [V2_TAG] : []),
      V3_TAG,
      { name: 'Service', description: 'For operators and tools' },
    ],
    paths: {
      ...V1_PATHS,
      ...(compatV2 && V2_PATHS),
      ...V3_PATHS,
      ...V3_EVENT_PATHS,
      ...SERVICE_PATHS,
      ...(compatV2 && REFERENCE_OF_V2),
    },
    components: {
      schemas: namedSchemas({ ...recordSchemas, ...v1Schemas, ...(compatV2 && v2Schemas) }),
      headers: HEADERS,
      parameters: {
        IfMatch: {
          name: 'If-Match',
          in: 'header',
          description: 'ETags, or `*`: if the body has another `ETag`, the status is 412.',
          schema: { type: 'string' },
        },
        IfNoneMatch: {
          name: 'If-None-Match',
          in: 'header',
          description: 'The `ETag` of an earlier response: if the body has not changed, the status is 304.',
          schema: { type: 'string' },
        },
      },
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-KEY',
          description:
            'Optional unless the operator requires it. An empty key, `undefined`, `null` and `None` count as no key; an unknown, revoked or expired key is rejected.',
        },
      },
    },
  }
}

const V1_TAG = {
  name: 'V1',
  description:
    'V1 is read-only and deprecated: it keeps working for existing clients and gets no new features. No field is ever null: unknown text is `""`, an unknown list `[]`, an unknown number `0`.',
}

const V2_TAG = {
  name: 'V2',
  description:
    'V2 has the endpoints of V1 with the fields that later clients read. It is deprecated together with V1.',
}

const V3_TAG = {
  name: 'v3',
  description:
    'v3 is the successor of V1. `null` is unknown and `0` is zero. A `key` is a passport id, a wallet, or a source and a name such as `github:zoe`. Unknown parameters are errors. The body of every error is `application/problem+json` with a stable `code`, and `errors` names the invalid values.',
}

const object = (properties: object, required: string[]) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
})

const STATE = { enum: ['ok', 'unavailable'] }
const REPLICA = { enum: ['ok', 'lagging', 'promoted', 'unavailable'] }

/** `replica` is present if one is configured: the worst state of all replicas. */
const READINESS = object({ status: { const: 'ready' }, writes: STATE, replica: REPLICA }, [
  'status',
  'writes',
])

type ServicePath = {
  id: string
  summary: string
  type?: string
  schema: object
  errors?: DocumentedError[]
  /** In addition to `common`. */
  headers?: HeaderName[]
  common?: HeaderName[]
}

const path = ({
  id,
  summary,
  type = 'application/json',
  schema,
  errors = [],
  headers = [],
  common = COMMON_HEADER_NAMES,
}: ServicePath) => ({
  get: {
    operationId: id,
    summary,
    tags: ['Service'],
    security: [],
    responses: {
      ...successResponses(summary, [...common, 'NoCache', 'ETag', ...headers], {
        [type]: { schema },
      }),
      ...errorResponses([...COMMON_ERRORS, 'precondition_failed', ...errors], COMMON_HEADER_NAMES),
    },
  },
  options: preflightOperation(id, 'Service', COMMON_HEADER_NAMES),
})

const htmlPath = (id: string, summary: string) =>
  path({
    id,
    summary,
    type: 'text/html',
    schema: { type: 'string' },
    headers: [
      'Content-Security-Policy',
      'Cross-Origin-Opener-Policy',
      'Permissions-Policy',
      'Referrer-Policy',
      'Vary',
    ],
    // Pages of other origins cannot read it.
    common: ['X-Content-Type-Options', 'X-Request-Id'],
  })

const SERVICE_PATHS = {
  '/health': path({
    id: 'getHealth',
    summary: 'The process is alive',
    schema: object({ status: { const: 'ok' } }, ['status']),
  }),
  '/ready': path({
    id: 'getReadiness',
    summary: 'Requests can be served',
    schema: READINESS,
    errors: ['unavailable'],
  }),
  '/openapi.json': path({
    id: 'getOpenApi',
    summary: 'The OpenAPI document',
    schema: { type: 'object' },
    headers: ['Vary'],
  }),
  '/reference': htmlPath('getReference', 'API reference of V1 with forms to try the endpoints'),
  '/reference/v3': htmlPath('getReferenceOfV3', 'API reference of v3'),
  '/deprecation': htmlPath('getDeprecation', 'Deprecation of V1: its dates, and what to do'),
  '/': htmlPath(
    'getStartPage',
    'Start page: passports by score, or the API reference if the explorer is off',
  ),
}

const REFERENCE_OF_V2 = { '/reference/v2': htmlPath('getReferenceOfV2', 'API reference of V2') }

/** Named schemas appear once; other places refer to them by `$ref`. */
function namedSchemas(deprecated: Record<string, TSchema>): Record<string, unknown> {
  const v3 = Object.entries({ ...v3Schemas, ...v3EventSchemas })
  const schemas = {
    ...deprecated,
    ...Object.fromEntries(v3.map(([name, schema]) => [`V3${name}`, schema])),
  }
  // By contents: an optional schema is a copy.
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]))
  const toRef = (value: unknown): unknown => {
    const name = names.get(JSON.stringify(value))
    return name === undefined ? descend(value) : { $ref: `#/components/schemas/${name}` }
  }
  const descend = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(toRef)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toRef(inner)]))
  }
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, descend(schema)]))
}
