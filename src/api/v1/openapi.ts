import { COMMON_ERRORS, COMMON_HEADER_NAMES, jsonContent, query, readPath } from '../openapi-parts.ts'
import type { DeprecatedVersion } from '../request.ts'
import { EXAMPLES } from './examples.ts'

const COMMON = {
  headers: [...COMMON_HEADER_NAMES, 'Deprecation', 'Link', 'RateLimit', 'RateLimit-Policy', 'Sunset'],
  errors: [...COMMON_ERRORS, 'unauthorized', 'rate_limited', 'removed', 'unavailable'],
  isDeprecated: true,
} as const

const positive = (fallback: number) => ({ type: 'integer', minimum: 1, default: fallback })

const LIST_PARAMETERS = [
  query(
    'keyword',
    'Only passports whose `display_name` contains this text, ignoring case, accents and repeated white space. Blank: no filter.',
    { type: 'string', maxLength: 200 },
  ),
  query('page', 'Page number, from 1. Past the last page the list is empty.', positive(1)),
  query('per_page', 'Passports per page. Values above 250 count as 250.', positive(25)),
]

const ID = {
  name: 'id',
  in: 'path',
  required: true,
  description:
    'Digits only: a passport id. Otherwise: its main wallet or any verified wallet; `0x` addresses in any letter case.',
  schema: { type: 'string' },
  example: '42',
}

const CREDENTIAL_PARAMETERS = [
  query(
    'passport_id',
    'A passport id or a wallet. If it is absent or empty, the list is empty.',
    { type: 'string' },
    { example: '42' },
  ),
  query('id', 'Used if `passport_id` is absent.', { type: 'string' }),
]

const content = (schema: keyof typeof EXAMPLES) => jsonContent(schema, EXAMPLES[schema])

export const V1_PATHS = pathsOf('v1', 'V1', '', '')
export const V2_PATHS = pathsOf('v2', 'V2', 'V2', ' (V2)')

/** `suffix` is that of operation ids and schemas, `title` that of summaries. */
function pathsOf(version: DeprecatedVersion, tag: string, suffix: '' | 'V2', title: string) {
  const api = { ...COMMON, tag }
  return {
    [`/api/${version}/passports`]: readPath(api, {
      id: `listPassports${suffix}`,
      summary: `List passports by score${title}`,
      description: 'Highest score first, equal scores by `passport_id`. Unknown parameters are ignored.',
      parameters: LIST_PARAMETERS,
      success: 'A page of passports',
      headers: ['Vary'],
      content: content(`PassportListBody${suffix}`),
      errors: [],
    }),
    [`/api/${version}/passports/{id}`]: readPath(api, {
      id: `getPassport${suffix}`,
      summary: `Get a passport by id or wallet${title}`,
      description:
        'For a passport that was merged into another, the response is the surviving passport, named in `Content-Location`.',
      pathParameter: ID,
      success: 'The passport',
      headers: ['Content-Location'],
      content: content(`PassportBody${suffix}`),
      errors: ['not_found'],
    }),
    [`/api/${version}/passport_credentials`]: readPath(api, {
      id: `listCredentials${suffix}`,
      summary: `List the credentials of a passport${title}`,
      description: 'Highest score first, then by name, then by id.',
      parameters: CREDENTIAL_PARAMETERS,
      success: 'All credentials of the passport',
      content: content('CredentialListBody'),
      errors: ['not_found'],
    }),
  }
}
