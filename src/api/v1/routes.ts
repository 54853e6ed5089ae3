import type { TSchema } from 'typebox'
import { presentListedPassport, presentPassport } from '../../domain/record/record.ts'
import * as recordSchemas from '../../domain/record/schemas.ts'
import * as v1Schemas from '../../domain/v1/schemas.ts'
import { presentListedPassportV2, presentPassportV2 } from '../../domain/v2/present.ts'
import * as v2Schemas from '../../domain/v2/schemas.ts'
import { ErrorBody, presentError } from '../errors.ts'
import { COMMON_ERRORS, COMMON_HEADERS, EXAMPLE } from '../openapi-parts.ts'
import { type Route, route, type Surface, unknownPaths } from '../route.ts'
import { type DeprecatedVersion, getPassport, listCredentials, listPassports } from './passports.ts'

const { PassportListBody, PassportBody, CredentialListBody } = v1Schemas

const V1: Surface = {
  usesKeys: true,
  presentError,
  retires: 'V1',
  ignoresSlash: true,
  tag: {
    name: 'V1',
    description:
      'V1 is read-only and deprecated: it keeps working for existing clients and gets no new features. No field is ever null: unknown text is `""`, an unknown list `[]`, an unknown number `0`.',
  },
  headers: [...COMMON_HEADERS, 'Deprecation', 'Link', 'RateLimit', 'RateLimit-Policy', 'Sunset'],
  errors: [...COMMON_ERRORS, 'unauthorized', 'rate_limited', 'removed', 'unavailable'],
  errorSchema: ErrorBody,
  schemas: { ...recordSchemas, ...v1Schemas, ErrorBody },
}

/** V2 has the endpoints of V1 with more fields. */
const V2: Surface = {
  ...V1,
  retires: 'V2',
  tag: {
    name: 'V2',
    description:
      'V2 has the endpoints of V1 with the fields that later clients read. It is deprecated together with V1.',
  },
  schemas: { ...V1.schemas, ...v2Schemas },
}

const positive = (fallback: number) => ({ type: 'integer', minimum: 1, default: fallback })

const PARAMETERS = {
  list: {
    keyword: {
      description:
        'Only passports whose `display_name` contains this text, ignoring case, accents and repeated white space. Blank: no filter.',
      schema: { type: 'string', maxLength: 200 },
    },
    page: {
      description: 'Page number, from 1. Past the last page the list is empty.',
      schema: positive(1),
    },
    per_page: {
      description: 'Passports per page. Values above 250 count as 250.',
      schema: positive(25),
    },
  },
  passport: {
    id: {
      description:
        'Digits only: a passport id. Otherwise: its main wallet or any verified wallet; `0x` addresses in any letter case.',
      example: '42',
    },
  },
  credentials: {
    passport_id: {
      description: 'A passport id or a wallet. If it is absent or empty, the list is empty.',
      example: '42',
    },
    id: { description: 'Used if `passport_id` is absent.' },
  },
}

const LISTED = presentListedPassport(EXAMPLE)
const FULL = presentPassport(EXAMPLE)
const LATER = {
  imageUrl: 'https://example.com/zoe.png',
  mainWalletChangedAt: Date.UTC(2024, 5, 1),
  nominations: 3,
}
const CREDENTIALS = EXAMPLE.credentials.map(({ from: _, ...credential }) => credential)
const PAGINATION = { current_page: 1, last_page: 40, total: 1000 }

export const V1_ROUTES = createRoutes('v1', V1, {
  list: PassportListBody,
  passport: PassportBody,
  listed: LISTED,
  full: FULL,
})
export const V2_ROUTES = createRoutes('v2', V2, {
  list: v2Schemas.PassportListBodyV2,
  passport: v2Schemas.PassportBodyV2,
  listed: presentListedPassportV2(LISTED, LATER),
  full: presentPassportV2(FULL, LATER),
})

/** The response schemas of a version, and their examples. */
type Bodies = { list: TSchema; passport: TSchema; listed: object; full: object }

/** The names and operation ids of V1 routes do not contain the version. */
function createRoutes(version: DeprecatedVersion, surface: Surface, bodies: Bodies): readonly Route[] {
  const base = `/api/${version}`
  const [prefix, suffix, title] = version === 'v1' ? ['', '', ''] : ['v2_', 'V2', ' (V2)']
  return [
    route(surface, {
      name: `${prefix}list`,
      path: `${base}/passports`,
      id: `listPassports${suffix}`,
      summary: `List passports by score${title}`,
      description: 'Highest score first, equal scores by `passport_id`. Unknown parameters are ignored.',
      query: PARAMETERS.list,
      responseHeaders: ['Vary'],
      response: bodies.list,
      example: { passports: [bodies.listed], pagination: PAGINATION },
      handle: (request, context) => listPassports(version, request, context),
    }),
    route(surface, {
      name: `${prefix}passport`,
      path: `${base}/passports/:id`,
      isImmediate: true,
      isCheap: () => true,
      id: `getPassport${suffix}`,
      summary: `Get a passport by id or wallet${title}`,
      description:
        'For a passport that was merged into another, the response is the surviving passport, named in `Content-Location`.',
      params: PARAMETERS.passport,
      responseHeaders: ['Content-Location'],
      response: bodies.passport,
      example: { passport: bodies.full },
      errors: ['not_found'],
      handle: (request, context) => getPassport(version, request, context),
    }),
    route(surface, {
      name: `${prefix}credentials`,
      path: `${base}/passport_credentials`,
      isImmediate: true,
      isCheap: () => true,
      id: `listCredentials${suffix}`,
      summary: `List the credentials of a passport${title}`,
      description: 'Highest score first, then by name, then by id.',
      query: PARAMETERS.credentials,
      response: CredentialListBody,
      example: { passport_credentials: CREDENTIALS },
      errors: ['not_found'],
      handle: listCredentials,
    }),
    ...unknownPaths(surface, base, `${prefix}other`),
  ]
}
