import type { TSchema } from 'typebox'
import * as schemas from '../domain/v1/schemas.ts'
import {
  COMMON_HEADERS,
  type DocumentedError,
  errorResponses,
  HEADERS,
  type HeaderName,
  preflightOperation,
  REQUEST_ERRORS,
  successResponses,
} from './openapi-parts.ts'
import { V1_PATHS } from './v1/openapi.ts'

/** The description of the whole service, made of the schemas that the code itself uses. */
export function createOpenApi(version: string) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'passportd',
      version,
      summary: 'Professional-reputation records over the frozen V1 API',
      description:
        'A passport is a person’s professional-reputation record: scores, profile, verified wallets, linked socials, scored credentials. V1 is read-only and deprecated: it is kept working for the programs that use it, and gets no new features. No field is ever null: unknown text is `""`, an unknown list `[]`, an unknown number `0`.',
    },
    servers: [{ url: '/', description: 'The service that serves this document' }],
    tags: [
      { name: 'V1', description: 'The three calls of the V1 API' },
      { name: 'Service', description: 'For operators and tools' },
    ],
    paths: { ...V1_PATHS, ...SERVICE_PATHS },
    components: {
      schemas: namedSchemas(),
      headers: HEADERS,
      parameters: {
        IfNoneMatch: {
          name: 'If-None-Match',
          in: 'header',
          description: 'The `ETag` of an earlier answer: where nothing changed, the answer is 304.',
          schema: { type: 'string' },
        },
      },
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-KEY',
          description:
            'Optional unless the operator requires it. An empty key, `undefined`, `null` and `None` count as none; an unknown, revoked or expired key is refused.',
        },
      },
    },
  }
}

const object = (properties: object, required: string[]) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
})

const WORKS = { enum: ['ok', 'unavailable'] }

/** `replica` is there where one is configured. */
const READINESS = object({ status: { const: 'ready' }, writes: WORKS, replica: WORKS }, ['status', 'writes'])

type Service = {
  id: string
  summary: string
  type?: string
  schema: object
  errors?: DocumentedError[]
  headers?: HeaderName[]
}

const service = ({ id, summary, type = 'application/json', schema, errors = [], headers = [] }: Service) => ({
  get: {
    operationId: id,
    summary,
    tags: ['Service'],
    security: [],
    responses: {
      ...successResponses(summary, [...COMMON_HEADERS, 'NoCache', 'ETag', ...headers], {
        [type]: { schema },
      }),
      ...errorResponses([...REQUEST_ERRORS, ...errors], COMMON_HEADERS),
    },
  },
  options: preflightOperation(id, 'Service', COMMON_HEADERS),
})

const referencePage = (id: string, summary: string) =>
  service({
    id,
    summary,
    type: 'text/html',
    schema: { type: 'string' },
    headers: ['ContentSecurityPolicy', 'Vary'],
  })

const SERVICE_PATHS = {
  '/health': service({
    id: 'getHealth',
    summary: 'The process is alive',
    schema: object({ status: { const: 'ok' } }, ['status']),
  }),
  '/ready': service({
    id: 'getReadiness',
    summary: 'Requests can be served',
    schema: READINESS,
    errors: ['unavailable'],
  }),
  '/openapi.json': service({
    id: 'getOpenApi',
    summary: 'The OpenAPI document',
    schema: { type: 'object' },
    headers: ['Vary'],
  }),
  '/reference': referencePage('getReference', 'The API described on a page, where the calls can be tried'),
  '/deprecation': referencePage('getDeprecation', 'How V1 ends: its dates, and what to do'),
  '/': referencePage(
    'getStartPage',
    'The page that opens first: passports by score, or the reference where the explorer is off',
  ),
}

/** Schemas that have a name are written once and referred to elsewhere. */
function namedSchemas(): Record<string, unknown> {
  const names = new Map<unknown, string>(Object.entries(schemas).map(([name, schema]) => [schema, name]))
  const refer = (value: unknown): unknown => {
    const name = names.get(value)
    return name === undefined ? descend(value) : { $ref: `#/components/schemas/${name}` }
  }
  const descend = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(refer)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, refer(inner)]))
  }
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]: [string, TSchema]) => [name, descend(schema)]),
  )
}
