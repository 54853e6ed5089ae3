import Schema from 'typebox/schema'
import { createReference } from '../../../src/explorer/reference/reference-routes.ts'

type DocumentedResponse = {
  headers: Record<string, { $ref: string }>
  content?: Record<string, { schema: object }>
}
type Operation = { responses: Record<string, DocumentedResponse> }

const document = JSON.parse(JSON.stringify(createReference('0.0.0').documentOf('3.2'))) as {
  paths: Record<string, Record<string, Operation | undefined>>
  components: { schemas: Record<string, object>; headers: Record<string, { schema: object }> }
}

/** The paths with a parameter. */
const PATTERNS = Object.keys(document.paths)
  .filter((template) => template.includes('{'))
  .map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`) }))

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
const OPTIONAL = new Set([
  'content-location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'sunset',
  'x-accel-buffering',
])

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
  const value = /json$/.test(type) ? JSON.parse(body) : body
  const validator = compile(schema)
  if (!validator.Check(value)) throw new Error(`${where}: ${JSON.stringify(validator.Errors(value)[1])}`)
}

const validators = new Map<string, Schema.Validator>()

/** A compiled check is a hundred times faster; compiling takes milliseconds. */
function compile(schema: object): Schema.Validator {
  const key = JSON.stringify(schema)
  const validator = validators.get(key) ?? Schema.Compile({ ...schema, components: document.components })
  validators.set(key, validator)
  return validator
}

function checkHeaders(where: string, response: Response, described: DocumentedResponse): void {
  const names = Object.keys(described.headers).map((name) => name.toLowerCase())
  const extra = [...response.headers.keys()].filter((name) => !names.includes(name) && !TRANSPORT.has(name))
  if (extra.length > 0) throw new Error(`${where}: the document does not describe the headers ${extra}`)
  for (const [name, { $ref }] of Object.entries(described.headers)) {
    const value = response.headers.get(name)
    const schema = document.components.headers[$ref.split('/').at(-1) ?? '']?.schema
    if (value !== null && !(schema && compile(schema).Check(value))) {
      throw new Error(`${where}: the document does not describe ${name}: ${value}`)
    }
  }
  const required = Object.entries(described.headers).flatMap(([name, { $ref }]) =>
    OPTIONAL.has(name.toLowerCase()) || $ref.endsWith('/NextLink') ? [] : [name],
  )
  const missing = required.filter((name) => !response.headers.has(name))
  if (missing.length > 0) throw new Error(`${where}: the headers ${missing} are missing`)
}

function findResponse(method: string, path: string, status: number): DocumentedResponse | undefined {
  const item = findPath(path)
  if (!item) return unknownPath(path, method, status)
  const operation = item[method === 'HEAD' ? 'get' : method.toLowerCase()]
  // All operations of a path describe the same 405.
  return (operation ?? item.get ?? item.post)?.responses[status]
}

const MISSING_V3 = '/api/v3/rules/{stamp}'

/** Undocumented paths respond 404, V1 and V2 paths also 410, v3 paths also 413, and 204 to preflights. */
function unknownPath(path: string, method: string, status: number): DocumentedResponse | undefined {
  const ofV1Path = /^\/api\/v[12](\/|$)/.test(path)
  const ofV3Path = /^\/api\/v3(\/|$)/.test(path)
  if (method === 'OPTIONS') {
    const like = ofV1Path ? '/api/v1/passports' : ofV3Path ? MISSING_V3 : '/health'
    return document.paths[like]?.options?.responses[status]
  }
  if (ofV3Path && [404, 413].includes(status)) return document.paths[MISSING_V3]?.get?.responses[status]
  if (status !== 404 && !(ofV1Path && status === 410)) return undefined
  const v1 = document.paths['/api/v1/passports/{id}']?.get?.responses[status]
  if (!v1 || ofV1Path) return v1
  const ofV1 = ['Deprecation', 'Link', 'RateLimit', 'RateLimit-Policy', 'Sunset']
  const headers = Object.entries(v1.headers).filter(([name]) => !ofV1.includes(name))
  return { ...v1, headers: Object.fromEntries(headers) }
}

function findPath(path: string) {
  const plain = path.length > 1 && path.startsWith('/api/') ? path.replace(/\/$/, '') : path
  if (document.paths[plain]) return document.paths[plain]
  const template = PATTERNS.find(({ pattern }) => pattern.test(plain))?.template
  return template === undefined ? undefined : document.paths[template]
}
