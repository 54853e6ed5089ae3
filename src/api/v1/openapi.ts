import {
  COMMON_ERRORS,
  COMMON_HEADER_NAMES,
  type DocumentedError,
  errorResponses,
  type HeaderName,
  jsonContent,
  preflightOperation,
  successResponses,
} from '../openapi-parts.ts'
import { EXAMPLES } from './examples.ts'

const V1_HEADERS: HeaderName[] = [
  ...COMMON_HEADER_NAMES,
  'Deprecation',
  'Link',
  'RateLimit',
  'RateLimitPolicy',
  'Sunset',
]

const SHARED_ERRORS: DocumentedError[] = [
  ...COMMON_ERRORS,
  'precondition_failed',
  'unauthorized',
  'rate_limited',
  'removed',
  'unavailable',
]

const query = (name: string, description: string, schema: object, example?: string) => ({
  name,
  in: 'query',
  description,
  schema,
  ...(example !== undefined && { example }),
})

const positive = (fallback: number) => ({ type: 'integer', minimum: 1, default: fallback })

type Operation = {
  id: string
  summary: string
  description: string
  parameters: object[]
  schema: keyof typeof EXAMPLES
  success: string
  headers?: HeaderName[]
  error: DocumentedError
}

function get({ id, summary, description, parameters, schema, success, headers = [], error }: Operation) {
  return {
    operationId: id,
    summary,
    description,
    tags: ['V1'],
    deprecated: true,
    security: [{}, { ApiKey: [] }],
    parameters: [
      ...parameters,
      { $ref: '#/components/parameters/IfMatch' },
      { $ref: '#/components/parameters/IfNoneMatch' },
    ],
    responses: {
      ...successResponses(
        success,
        [...V1_HEADERS, 'NoCache', 'ETag', ...headers],
        jsonContent(schema, EXAMPLES[schema]),
      ),
      ...errorResponses([error, ...SHARED_ERRORS], V1_HEADERS),
    },
  }
}

const path = (operation: Operation, parameters?: object[]) => ({
  ...(parameters && { parameters }),
  get: get(operation),
  options: { ...preflightOperation(operation.id, 'V1', V1_HEADERS), deprecated: true },
})

export const V1_PATHS = {
  '/api/v1/passports': path({
    id: 'listPassports',
    summary: 'List passports by score',
    description: 'Highest score first, equal scores by `passport_id`. Unknown parameters are ignored.',
    parameters: [
      query(
        'keyword',
        'Only passports whose `display_name` contains this text, ignoring case, accents and repeated white space. Blank: no filter.',
        { type: 'string', maxLength: 200 },
      ),
      query('page', 'Page number, from 1. Past the last page the list is empty.', positive(1)),
      query('per_page', 'Passports per page. Values above 250 count as 250.', positive(25)),
    ],
    schema: 'PassportListBody',
    success: 'A page of passports',
    headers: ['Vary'],
    error: 'invalid_request',
  }),
  '/api/v1/passports/{id}': path(
    {
      id: 'getPassport',
      summary: 'Get a passport by id or wallet',
      description:
        'For a passport that was merged into another, the response is the surviving passport, named in `Content-Location`.',
      parameters: [],
      schema: 'PassportBody',
      success: 'The passport',
      headers: ['ContentLocation'],
      error: 'not_found',
    },
    [
      {
        name: 'id',
        in: 'path',
        required: true,
        description:
          'Digits only: a passport id. Otherwise: its main wallet or any verified wallet; `0x` addresses in any letter case.',
        schema: { type: 'string' },
        example: '42',
      },
    ],
  ),
  '/api/v1/passport_credentials': path({
    id: 'listCredentials',
    summary: 'List the credentials of a passport',
    description: 'Highest score first, then by name, then by id.',
    parameters: [
      query(
        'passport_id',
        'A passport id or a wallet. If it is absent or empty, the list is empty.',
        { type: 'string' },
        '42',
      ),
      query('id', 'Used if `passport_id` is absent.', { type: 'string' }),
    ],
    schema: 'CredentialListBody',
    success: 'All credentials of the passport',
    error: 'not_found',
  }),
}
