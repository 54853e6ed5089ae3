import Schema from 'typebox/schema'
import { createOpenApi } from '../../../src/api/openapi.ts'

type DocumentedResponse = {
  headers: Record<string, { $ref: string }>
  content?: Record<string, { schema: object }>
}
type Operation = { responses: Record<string, DocumentedResponse> }

const document = JSON.parse(JSON.stringify(createOpenApi('0.0.0'))) as {
  paths: Record<string, { get: Operation; options?: Operation }>
  components: { schemas: Record<string, object>; headers: Record<string, { schema: object }> }
}

/** Headers of the transport. */
const TRANSPORT = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
])
/** Headers that a documented response may lack. */
const OPTIONAL = new Set(['content-location', 'ratelimit', 'ratelimit-policy', 'retry-after', 'sunset'])

/** Throws unless the OpenAPI document describes the status, all headers and all fields of the response. */
export function checkConformance(method: string, path: string, response: Response, body: string): void {
  const where = `${method} ${path} -> ${response.status}`
  const described = findResponse(method, path, response.status)
  if (!described) throw new Error(`${where}: the document does not describe this status`)
  checkHeaders(where, response, described)
  if (method === 'HEAD' || !described.content) {
    if (body !== '') throw new Error(`${where}: the document describes no body, got ${body}`)
    return
  }
  const type = response.headers.get('Content-Type')?.split(';', 1)[0] ?? ''
  const schema = described.content[type]?.schema
  if (!schema) throw new Error(`${where}: the document does not describe the type "${type}"`)
  const value = type === 'application/json' ? JSON.parse(body) : body
  const [ok, errors] = Schema.Errors({ ...schema, components: document.components }, value)
  if (!ok) throw new Error(`${where}: ${JSON.stringify(errors)}`)
}

function checkHeaders(where: string, response: Response, described: DocumentedResponse): void {
  const names = Object.keys(described.headers).map((name) => name.toLowerCase())
  const extra = [...response.headers.keys()].filter((name) => !names.includes(name) && !TRANSPORT.has(name))
  if (extra.length > 0) throw new Error(`${where}: the document does not describe the headers ${extra}`)
  for (const [name, { $ref }] of Object.entries(described.headers)) {
    const value = response.headers.get(name)
    const schema = document.components.headers[$ref.split('/').at(-1) ?? '']?.schema
    if (value !== null && !(schema && Schema.Check(schema, value))) {
      throw new Error(`${where}: the document does not describe ${name}: ${value}`)
    }
  }
  const missing = names.filter((name) => !response.headers.has(name) && !OPTIONAL.has(name))
  if (missing.length > 0) throw new Error(`${where}: the headers ${missing} are missing`)
}

function findResponse(method: string, path: string, status: number): DocumentedResponse | undefined {
  const item = findPath(path)
  if (!item) return unknownPath(path, method, status)
  const operation = method === 'OPTIONS' ? item.options : item.get
  return operation?.responses[status]
}

/** Undocumented paths respond 404, paths of the API also 410, and 204 to preflights. */
function unknownPath(path: string, method: string, status: number): DocumentedResponse | undefined {
  const ofApi = /^\/api\/v[12](\/|$)/.test(path)
  if (method === 'OPTIONS') {
    return document.paths[ofApi ? '/api/v1/passports' : '/health']?.options?.responses[status]
  }
  if (status !== 404 && !(ofApi && status === 410)) return undefined
  const v1 = document.paths['/api/v1/passports/{id}']?.get.responses[status]
  if (!v1 || ofApi) return v1
  const ofV1 = ['Deprecation', 'Link', 'RateLimit', 'RateLimit-Policy', 'Sunset']
  const headers = Object.entries(v1.headers).filter(([name]) => !ofV1.includes(name))
  return { ...v1, headers: Object.fromEntries(headers) }
}

function findPath(path: string) {
  const plain = path.length > 1 && /^\/api\/v[12]\//.test(path) ? path.replace(/\/$/, '') : path
  if (document.paths[plain]) return document.paths[plain]
  const [, version] = /^\/api\/(v[12])\/passports\/[^/]+$/.exec(plain) ?? []
  return document.paths[`/api/${version}/passports/{id}`]
}
