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
import type { DeprecatedVersion } from '../request.ts'
import { EXAMPLES } from './examples.ts'

const API_HEADERS: HeaderName[] = [
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
  tag: 'V1' | 'V2'
  id: string
  summary: string
  description: string
  parameters: object[]
  schema: keyof typeof EXAMPLES
  success: string
  headers?: HeaderName[]
  error: DocumentedError
}

function get({ tag, id, summary, description, parameters, schema, success, headers = [], error }: Operation) {
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
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
        [...API_HEADERS, 'NoCache', 'ETag', ...headers],
        jsonContent(schema, EXAMPLES[schema]),
      ),
      ...errorResponses([error, ...SHARED_ERRORS], API_HEADERS),
    },
  }
}

const path = (operation: Operation, parameters?: object[]) => ({
  ...(parameters && { parameters }),
  get: get(operation),
  options: { ...preflightOperation(operation.id, operation.tag, API_HEADERS), deprecated: true },
})

/** The tag of a version, the suffix of its operation ids and schemas, and that of its summaries. */
const namesOf = (version: DeprecatedVersion) =>
  version === 'v1'
    ? ({ tag: 'V1', suffix: '', title: '' } as const)
    : ({ tag: 'V2', suffix: 'V2', title: ' (V2)' } as const)

export const V1_PATHS = {
  '/api/v1/passports': listPath('v1'),
  '/api/v1/passports/{id}': passportPath('v1'),
  '/api/v1/passport_credentials': credentialsPath('v1'),
}

export const V2_PATHS = {
  '/api/v2/passports': listPath('v2'),
  '/api/v2/passports/{id}': passportPath('v2'),
  '/api/v2/passport_credentials': credentialsPath('v2'),
}

function listPath(version: DeprecatedVersion) {
  const { tag, suffix, title } = namesOf(version)
  return path({
    tag,
    id: `listPassports${suffix}`,
    summary: `List passports by score${title}`,
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
    schema: `PassportListBody${suffix}`,
    success: 'A page of passports',
    headers: ['Vary'],
    error: 'invalid_request',
  })
}

function passportPath(version: DeprecatedVersion) {
  const { tag, suffix, title } = namesOf(version)
  return path(
    {
      tag,
      id: `getPassport${suffix}`,
      summary: `Get a passport by id or wallet${title}`,
      description:
        'For a passport that was merged into another, the response is the surviving passport, named in `Content-Location`.',
      parameters: [],
      schema: `PassportBody${suffix}`,
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
  )
}

function credentialsPath(version: DeprecatedVersion) {
  const { tag, suffix, title } = namesOf(version)
  return path({
    tag,
    id: `listCredentials${suffix}`,
    summary: `List the credentials of a passport${title}`,
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
  })
}
