import type { TObject } from 'typebox'
import { PassportOrSelected, SelectedPassport } from '../../core/api/schemas.ts'
import { V3 } from '../../core/api/surface.ts'
import { ClientGone, ServiceError, unauthorized } from '../../core/basics/errors.ts'
import { describeUnknown } from '../../core/basics/text/nearest-name.ts'
import { ANONYMOUS_PRINCIPAL, checkScope, hasScope } from '../../core/http/client-identity.ts'
import type { Context, Route, RouteRequest } from '../../core/http/route.ts'
import { selectRoute } from '../../core/http/server.ts'
import { diff } from '../events/diff.ts'
import { events } from '../events/routes.ts'
import { listOfPassports } from '../passports/list.ts'
import { lookup } from '../passports/lookup.ts'
import { passport } from '../passports/passport.ts'
import { records } from '../records/routes.ts'
import { sanitize } from './sanitize.ts'

/** Each tool is a route of v3. */
const TOOLS = new Map<string, Route>([
  ['search_passports', listOfPassports],
  ['get_passport', passport],
  ['lookup_passports', lookup],
  ['what_changed', diff],
  ['history', events],
  ['write_records', records],
])

const DEFINITIONS = [...TOOLS].map(([name, route]) => ({
  name,
  title: name.replaceAll('_', ' '),
  description: route.summary,
  inputSchema: toInputSchema(route),
  outputSchema: toOutputSchema(route),
  annotations: { readOnlyHint: !route.scope.startsWith('write'), idempotentHint: true, openWorldHint: false },
}))

function toInputSchema({ params = {}, query = {}, body }: Route) {
  const { properties, required = [] } = (body ?? {}) as Partial<TObject>
  const parameters = Object.entries({ ...params, ...query }).map(
    ([name, { schema = { type: 'string' }, description }]) => [name, { ...schema, description }] as const,
  )
  const inQuery = Object.keys(query).filter((name) => query[name]?.required)
  return {
    type: 'object',
    properties: { ...Object.fromEntries(parameters), ...properties },
    required: [...Object.keys(params), ...inQuery, ...required],
    additionalProperties: false,
  }
}

/** A whole passport is also a passport with selected fields, so its long schema is not needed twice. */
function toOutputSchema({ response = {} }: Route): object {
  const json = JSON.stringify(response, (_, value) =>
    value === PassportOrSelected ? SelectedPassport : value,
  )
  return { type: 'object', ...JSON.parse(json) }
}

/** The `mcp` command has no key, but a principal of its own. */
const hasKey = ({ principal }: Context, { needsKey }: Route) => !needsKey || principal !== ANONYMOUS_PRINCIPAL

export const listTools = (context: Context) =>
  DEFINITIONS.filter(({ name }) => {
    const route = TOOLS.get(name) as Route
    return hasKey(context, route) && hasScope(context.principal, route.scope)
  })

type Arguments = Readonly<Record<string, unknown>>

/**
 * Calls a tool within the limit, the scopes and the bytes of the HTTP request. An error of v3 is a result, too.
 * `routes` are those of v3: several can have the path of a tool.
 */
export async function callTool(
  context: Context,
  name: string,
  args: Arguments,
  routes: readonly Route[],
): Promise<object> {
  try {
    const route = TOOLS.get(name)
    if (!route) throw new ServiceError('invalid_request', describeUnknown('tool', name, [...TOOLS.keys()]))
    if (!hasKey(context, route)) throw unauthorized()
    checkScope(context.principal, route.scope)
    context.charge(route.units)
    const request = requestOf(route, args)
    const candidates = routes.filter(({ path }) => path === route.path)
    const response = await selectRoute(candidates, request).handle?.(request, context)
    const data = sanitize(JSON.parse(await readBodyText(response?.body)))
    return { structuredContent: data, content: toContent(JSON.stringify(data)) }
  } catch (error) {
    if (error instanceof ClientGone || context.request.signal.aborted) throw new ClientGone()
    const { status, body } = V3.presentError(error, context.id)
    const problem = JSON.parse(body)
    if (status >= 500 && problem.code !== 'not_ready') context.onError(error)
    return { isError: true, structuredContent: problem, content: toContent(problem.detail) }
  }
}

/** For clients that ignore `structuredContent`. */
const toContent = (text: string) => [{ type: 'text', text }]

/** The request of the route. Agents send an id as a number, and a missing value as null. */
function requestOf({ params = {}, query = {}, body }: Route, args: Arguments): RouteRequest {
  const values = Object.entries(args).filter(
    ([name, value]) => value !== null && !Object.hasOwn(params, name),
  )
  const isInBody = ([name]: [string, unknown]) => body !== undefined && !Object.hasOwn(query, name)
  const inBody = values.filter(isInBody).map(([name, value]) => [name, toKeys(value)])
  const inQuery = values
    .filter((entry) => !isInBody(entry))
    .map(([name, value]) => [name, argumentText(value)])
  const inPath = Object.keys(params).map((name) => [name, argumentText(args[name] ?? '')])
  const json = body && JSON.stringify(Object.fromEntries(inBody))
  return createRequest(json, Object.fromEntries(inPath), new URLSearchParams(inQuery))
}

/** A request that did not come over a network. */
export function createRequest(body?: string, params: RouteRequest['params'] = {}, query?: URLSearchParams) {
  const method = body === undefined ? 'GET' : 'POST'
  const headers = { 'Content-Type': 'application/json' }
  const request = new Request(`http://localhost/?${query ?? ''}`, { method, headers, body: body ?? null })
  return Object.assign(request, { params })
}

/** A list is separated by commas, as in a query of v3. */
const argumentText = (value: unknown): string =>
  [value]
    .flat()
    .map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
    .join(',')

const toKeys = (value: unknown) =>
  Array.isArray(value) ? value.map((item) => (typeof item === 'number' ? String(item) : item)) : value

/** A longer result would fill the context of a model. */
const MOST_CHARACTERS = 100_000
const TOO_LONG = `The result has more than ${MOST_CHARACTERS} characters: ask for less, with "limit", "select" or fewer keys.`

async function readBodyText(body: ReadableStream | null = null): Promise<string> {
  let text = ''
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part
    if (text.length > MOST_CHARACTERS) throw new ServiceError('invalid_request', TOO_LONG)
  }
  return text
}
