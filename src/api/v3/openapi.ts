import { FILTER_FIELDS, LONGEST_FILTER } from '../../domain/lists/filter.ts'
import { DEFAULT_LIMIT, GROUP_FIELDS, LARGEST_LIMIT, SORT_FIELDS } from '../../domain/lists/list-request.ts'
import { INCLUDES } from '../../domain/v3/fields.ts'
import { STATUS_OF } from '../errors.ts'
import {
  COMMON_ERRORS,
  COMMON_HEADER_NAMES,
  type DocumentedError,
  errorResponses,
  HEADERS,
  preflightOperation,
  query,
  readPath,
  successResponses,
} from '../openapi-parts.ts'
import { LIST, LOOKUP, LOOKUP_REQUEST, PASSPORT, RULE_SET } from './examples.ts'
import { PROBLEM_TYPE, TITLES } from './problem.ts'

export const ref = (name: string) => ({ $ref: `#/components/schemas/V3${name}` })

/** An error as problem+json. */
function problemContent(code: DocumentedError, detail: string) {
  const status = STATUS_OF[code]
  const example = {
    type: 'about:blank',
    title: TITLES[status],
    status,
    detail,
    code,
    request_id: HEADERS['X-Request-Id'].example,
    errors: code === 'invalid_request' ? [{ pointer: '?select', detail }] : [],
    ...(code === 'ambiguous' && { candidates: [7, 12] }),
    ...(code === 'before_history' && { known_since: '2026-11-02T09:18:56.019Z' }),
    ...(code === 'cursor_expired' && { oldest_cursor: '8c1f0a-4000' }),
  }
  return { [PROBLEM_TYPE]: { schema: ref('Problem'), example } }
}

export const V3 = {
  tag: 'v3',
  headers: [...COMMON_HEADER_NAMES, 'RateLimit', 'RateLimit-Policy'],
  errors: [...COMMON_ERRORS, 'content_too_large', 'unauthorized', 'rate_limited', 'unavailable'],
  toContent: problemContent,
} as const

export const COMMA_SEPARATED = { style: 'form', explode: false }

/** The parameters of every route that responds with passports. */
const FIELD_PARAMETERS = [
  query(
    'include',
    'Further parts of the passport',
    { type: 'array', items: { enum: INCLUDES } },
    COMMA_SEPARATED,
  ),
  query(
    'select',
    'Only these fields, as dotted paths such as `passport_profile.display_name`',
    { type: 'array', items: { type: 'string' } },
    COMMA_SEPARATED,
  ),
]

const pathParameter = (name: string, description: string, example: string) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const lookup = (operationId: string) => ({
  operationId,
  summary: 'Look up many passports',
  description:
    'Up to 1,000 keys. One item for each key, in the order of the keys, repeats included. Each 25 keys, or part of them, count as one request of the limit; `include`, `as_of` and a large body add to it. A key is always required.',
  tags: ['v3'],
  security: [{ ApiKey: [] }],
  requestBody: {
    required: true,
    content: { 'application/json': { schema: ref('LookupRequest'), example: LOOKUP_REQUEST } },
  },
  responses: {
    200: successResponses('An item for each key', [...V3.headers, 'NoCache', 'Vary'], {
      'application/json': { schema: ref('LookupBody'), example: LOOKUP },
      'application/x-ndjson': {
        itemSchema: ref('LookupItem'),
        example: LOOKUP.items.map((item) => `${JSON.stringify(item)}\n`).join(''),
      },
    })[200],
    ...errorResponses([...V3.errors, 'before_history', 'unsupported_media_type'], V3.headers, V3.toContent),
  },
})

const LIST_PARAMETERS = [
  query('q', 'Only passports whose `display_name` contains this text, ignoring case and accents', {
    type: 'string',
    maxLength: 200,
  }),
  query(
    'filter',
    `Terms \`field:value\`. A comma means "and", a pipe "or", \`!\` "not"; scores are compared by \`>\`, \`>=\`, \`<\`, \`<=\`. A value with a comma, pipe or colon is put in double quotes. Fields: ${Object.keys(FILTER_FIELDS).join(', ')}.`,
    {
      type: 'string',
      minLength: 1,
      maxLength: LONGEST_FILTER,
      examples: ['human:true,score:>50,type:github|ens,tag:!bot'],
    },
  ),
  query('sort', 'A field; with a minus sign, the highest value comes first', {
    enum: SORT_FIELDS.flatMap((field) => [`-${field}`, field]),
    default: '-score',
  }),
  query('group_by', 'Counts all matching passports by the values of this field', { enum: GROUP_FIELDS }),
  query('limit', 'Passports per page; at most 50 with `credentials`, `standing` or `explanation`', {
    type: 'integer',
    minimum: 1,
    maximum: LARGEST_LIMIT,
    default: DEFAULT_LIMIT,
  }),
  query('cursor', '`next` of the previous page, with the same `q`, `filter` and `sort`', { type: 'string' }),
]

const AS_OF = query(
  'as_of',
  'A time in the past with its offset (RFC 3339), or a day, which is its first moment in UTC. Scores, credentials, the human checkmark and the rule stamp are those of this time; other fields are current.',
  { type: 'string', examples: ['2026-10-01'] },
)

export const KEY = pathParameter(
  'key',
  'Digits only: a passport id. A source and a name with a colon between them: a social profile or an account, in any letter case. Otherwise: a wallet; `0x` addresses in any letter case.',
  '42',
)

export const V3_PATHS = {
  '/api/v3/passports': readPath(V3, {
    id: 'listPassportsV3',
    summary: 'List, filter, sort and count passports',
    description:
      'Highest score first. Follow `next` until it is null. While passports change, no unchanged passport is repeated or left out.',
    parameters: [...LIST_PARAMETERS, ...FIELD_PARAMETERS],
    success: 'A page of passports',
    headers: ['NextLink', 'Vary'],
    content: { 'application/json': { schema: ref('ListBody'), example: LIST } },
    errors: ['not_ready'],
  }),
  '/api/v3/passports/{key}': readPath(V3, {
    id: 'getPassportV3',
    summary: 'Get a passport by id, wallet or handle',
    description:
      'For a passport that was merged into another, the response is the surviving passport, named in `Content-Location`.',
    pathParameter: KEY,
    parameters: [...FIELD_PARAMETERS, AS_OF],
    success: 'The passport',
    headers: ['Content-Location'],
    content: {
      'application/json': {
        schema: { anyOf: [ref('Passport'), ref('SelectedPassport')] },
        example: PASSPORT,
      },
    },
    errors: ['before_history', 'ambiguous'],
  }),
  '/api/v3/lookup': {
    post: lookup('lookUp'),
    query: lookup('lookUpByQuery'),
    options: preflightOperation('lookUp', V3.tag, V3.headers, V3.toContent),
  },
  '/api/v3/rules/{stamp}': readPath(V3, {
    id: 'getRules',
    summary: 'Get the rule set behind a score',
    description: 'A stamp always has the same contents.',
    pathParameter: pathParameter('stamp', 'The field `rules` of a passport', RULE_SET.stamp),
    success: 'The rule set',
    caching: 'Immutable',
    content: { 'application/json': { schema: ref('RuleSet'), example: RULE_SET } },
    errors: ['not_found'],
  }),
}
