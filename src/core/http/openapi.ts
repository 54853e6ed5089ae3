import type { TObject, TSchema } from 'typebox'
import { findUnknown, invalidValues, ServiceError, STATUS_OF } from '../basics/errors.ts'
import { type DocumentedError, ERRORS, FIELDS, HEADERS, type HeaderName } from './openapi-parts.ts'
import { type DocumentedRoute, isDocumented, type Parameter, type Parameters, type Route } from './route.ts'

/** The OpenAPI document, in version 3.1 as many generators need, which cannot describe QUERY and streams. */
export function createOpenApi(
  version: string,
  routes: readonly Route[],
  more: Readonly<Record<string, TSchema>> = {},
) {
  const documented = routes.filter(isDocumented)
  const surfaces = [...new Set(documented.map(({ surface }) => surface))]
  const { schemas, toRef } = nameSchemas(
    Object.assign({}, ...surfaces.map((surface) => surface.schemas), more),
  )
  const tags = new Map(surfaces.map(({ tag }) => [tag.name, tag]))
  const paths: Record<string, object> = {}
  const responses: SharedResponses = {}
  for (const route of documented)
    paths[templateOf(route)] = { ...paths[templateOf(route)], ...describePath(route, toRef, responses) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'passportd',
      version,
      summary: 'Professional-reputation records: the frozen V1 API, and its successor V3',
      description: ABOUT,
    },
    servers: [{ url: '/', description: 'The service that serves this document' }],
    tags: [...tags.values()],
    paths,
    components: {
      schemas,
      responses,
      headers: HEADERS,
      parameters: CONDITIONS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

const SECURITY_SCHEMES = {
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-KEY',
    description:
      'Optional unless the operator requires it. An empty key, `undefined`, `null` and `None` count as no key; an unknown, revoked or expired key is rejected.',
  },
  Session: { type: 'http', scheme: 'bearer', description: 'From POST /api/v3/me/session' },
}

export const ABOUT =
  'A passport is a person’s professional-reputation record: scores, profile, wallets, linked accounts and scored credentials.'

export const templateOf = ({ path }: Route) => path.replace(/:(\w+)/g, '{$1}')

/** All errors that a route can respond with. No two have the same status. */
export function errorsOf({ surface, methods, errors = [] }: DocumentedRoute): DocumentedError[] {
  return [...surface.errors, ...(methods ? [] : ['precondition_failed' as const]), ...errors]
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
})

const CONDITIONS = {
  IfMatch: header('If-Match', 'ETags, or `*`: if the body has another `ETag`, the status is 412.'),
  IfNoneMatch: header(
    'If-None-Match',
    'The `ETag` of an earlier response: if the body has not changed, the status is 304.',
  ),
}

type ToRef = (schema: unknown) => unknown
type SharedResponses = Record<string, object>

function describePath(route: DocumentedRoute, toRef: ToRef, shared: SharedResponses) {
  const { id, params, methods = ['GET'] } = route
  const operations = methods
    .filter((method) => method !== 'QUERY')
    .map((method, at) => [
      method.toLowerCase(),
      {
        operationId: at === 0 ? id : `${id}By${method.charAt(0)}${method.slice(1).toLowerCase()}`,
        ...describeOperation(route, toRef, shared),
      },
    ])
  return {
    ...(params && { parameters: toParameters('path', params, true) }),
    ...Object.fromEntries(operations),
  }
}

/** Returns an operation without its id. The operations of a route differ only in method and id. */
function describeOperation(route: DocumentedRoute, toRef: ToRef, shared: SharedResponses) {
  const { surface, summary, description, needsKey, access, query = {}, body } = route
  const { requestHeaders = {}, responseHeaders = [] } = route
  const isRead = route.methods === undefined
  const session = access === 'session' && [{ Session: [] }]
  const conditions = Object.keys(CONDITIONS).map((name) => ({ $ref: `#/components/parameters/${name}` }))
  const headers = refs([
    ...surface.headers,
    ...(responseHeaders.some((name) => FIELDS[name] === 'Cache-Control') ? [] : (['NoCache'] as const)),
    ...(isRead ? (['ETag'] as const) : []),
    ...responseHeaders,
  ])
  return {
    summary,
    ...(description && { description }),
    tags: [surface.tag.name],
    ...(surface.retires && { deprecated: true }),
    security: session || (!surface.usesKeys ? [] : needsKey ? [{ ApiKey: [] }] : [{}, { ApiKey: [] }]),
    parameters: [
      ...toParameters('query', query),
      ...toParameters('header', requestHeaders),
      ...(surface.usesKeys && isRead ? conditions : []),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: toRef(body), example: route.examples?.request },
        },
      },
    }),
    responses: {
      [route.status ?? 200]: { description: summary, headers, content: contentOf(route, toRef) },
      ...(isRead && { 304: { description: NOT_MODIFIED, headers } }),
      ...Object.fromEntries(
        errorsOf(route).map((code) => [STATUS_OF[code], describeError(route, code, toRef, shared)]),
      ),
    },
  }
}

export const NOT_MODIFIED = 'The body has not changed since the `ETag` in `If-None-Match`'

function contentOf(route: DocumentedRoute, toRef: ToRef) {
  const { response, examples } = route
  return {
    'application/json': {
      schema: toRef(response),
      ...(examples?.response !== undefined && { example: examples.response }),
    },
    ...route.alternatives,
  }
}

/** The response to an error. If the routes of a surface have the same one, it is a component. */
function describeError(route: DocumentedRoute, code: DocumentedError, toRef: ToRef, shared: SharedResponses) {
  const { surface, errorWords } = route
  const { type, example, isShared } = exampleOf(route, code)
  const response = {
    description: errorWordsOf(route, code),
    headers: refs([...surface.headers, 'NoStore', ...(ERRORS[code].headers ?? [])]),
    content: { [type]: { schema: toRef(surface.errorSchema), example } },
  }
  if (!isShared || errorWords?.[code]) return response
  const name = `${surface.tag.name}_${code}`
  shared[name] = response
  return { $ref: `#/components/responses/${name}` }
}

export const errorWordsOf = ({ errorWords }: DocumentedRoute, code: DocumentedError): string =>
  errorWords?.[code] ?? ERRORS[code].description

/** An example of this error, rendered like a real one. It is shared unless it names a parameter. */
export function exampleOf(route: DocumentedRoute, code: DocumentedError) {
  const { surface, query = {} } = route
  const { sentence, members = {} } = ERRORS[code]
  const { properties } = (route.body ?? {}) as Partial<TObject>
  const unknown = properties
    ? findUnknown('member', ['key'], Object.keys(properties), () => '#/key')
    : findUnknown('parameter', ['page'], Object.keys(query), () => '?page')
  const isShared = code !== 'invalid_request' || surface.parseQuery === undefined
  const error = isShared ? new ServiceError(code, sentence, { members }) : invalidValues(unknown)
  const { headers, body } = surface.presentError(error, HEADERS['X-Request-Id'].example)
  return { type: headers['Content-Type'] as string, example: JSON.parse(body) as object, isShared }
}

const refs = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [FIELDS[name] ?? name, { $ref: `#/components/headers/${name}` }]))

const toParameters = (place: 'path' | 'query' | 'header', parameters: Parameters, required?: true) =>
  Object.entries(parameters).map(([name, { description, schema, ...rest }]: [string, Parameter]) => ({
    name,
    in: place,
    description,
    schema: schema ?? { type: 'string' },
    ...(required && { required }),
    ...rest,
  }))

/** Replaces named schemas by a `$ref`. Schemas are compared by their contents, because an optional schema is a copy. */
function nameSchemas(namedSchemas: Readonly<Record<string, TSchema>>) {
  const names = new Map(Object.entries(namedSchemas).map(([name, schema]) => [JSON.stringify(schema), name]))
  const toRef = (value: unknown): unknown => {
    const name = names.get(JSON.stringify(value))
    return name === undefined ? descend(value) : { $ref: `#/components/schemas/${name}` }
  }
  const descend = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(toRef)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toRef(inner)]))
  }
  const schemas = Object.fromEntries(
    Object.entries(namedSchemas).map(([name, schema]) => [name, descend(schema)]),
  )
  return { schemas, toRef }
}
