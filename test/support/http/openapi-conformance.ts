import Schema from 'typebox/schema'
import { documentOf } from '../program/serving.ts'

type DocumentedResponse = {
  headers: Record<string, { $ref: string }>
  content?: Record<string, { schema: object }>
}
type Operation = { responses: Record<string, DocumentedResponse> }

const written = JSON.stringify(documentOf('0.0.0'))
const { responses } = JSON.parse(written).components as { responses: Record<string, DocumentedResponse> }
/** The document with each shared response in place of its reference. */
const document = JSON.parse(written, (_, value) => {
  const name = /^#\/components\/responses\/(.+)/.exec(value?.$ref)?.[1]
  return name === undefined ? value : responses[name]
}) as {
  paths: Record<string, Record<string, Operation | undefined>>
  components: { schemas: Record<string, object>; headers: Record<string, { schema: object }> }
}

/** The documented paths that have a parameter. */
const PATTERNS = Object.keys(document.paths)
  .filter((template) => template.includes('{'))
  .map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`) }))

/** Headers of the transport. */
const TRANSPORT =
  /^(connection|content-encoding|content-length|content-type|date|keep-alive|transfer-encoding)$/
/** Headers that a documented response may lack. */
const OPTIONAL = /^(content-location|ratelimit|ratelimit-policy|retry-after|sunset|x-accel-buffering)$/i

/**
 * Throws unless the OpenAPI document describes the status, all headers and all fields of the response. Responses to
 * preflight requests and pages are not checked, because the document does not describe them.
 */
export function checkConformance(method: string, path: string, response: Response, body: string): void {
  const isPage = response.headers.has('Content-Security-Policy')
  if (method === 'OPTIONS' || isPage) return
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

/** Validators are cached: compiling takes milliseconds, but makes a check a hundred times faster. */
function compile(schema: object): Schema.Validator {
  const key = JSON.stringify(schema)
  const validator = validators.get(key) ?? Schema.Compile({ ...schema, components: document.components })
  validators.set(key, validator)
  return validator
}

function checkHeaders(where: string, { headers }: Response, described: DocumentedResponse): void {
  const names = Object.keys(described.headers).map((name) => name.toLowerCase())
  const extra = [...headers.keys()].filter((name) => !names.includes(name) && !TRANSPORT.test(name))
  if (extra.length > 0) throw new Error(`${where}: the document does not describe the headers ${extra}`)
  for (const [name, { $ref }] of Object.entries(described.headers)) {
    const value = headers.get(name)
    const schema = document.components.headers[$ref.split('/').at(-1) ?? '']?.schema
    if (value === null && !OPTIONAL.test(name) && !$ref.endsWith('/NextLink'))
      throw new Error(`${where}: the header ${name} is missing`)
    if (value !== null && !(schema && compile(schema).Check(value)))
      throw new Error(`${where}: the document does not describe ${name}: ${value}`)
  }
}

function findResponse(method: string, path: string, status: number): DocumentedResponse | undefined {
  const item = findPath(path)
  if (!item) return unknownPath(path, status)
  const operation = item[method === 'HEAD' ? 'get' : method.toLowerCase()]
  // All operations of a path describe the same 405.
  return (operation ?? item.get ?? item.post)?.responses[status]
}

const MISSING_V3 = '/api/v3/rules/{stamp}'

/** An undocumented path may respond 404 (V1 and V2 also 410, v3 also 413). Pages may send the errors of `/health`. */
function unknownPath(path: string, status: number): DocumentedResponse | undefined {
  const [, version] = /^\/api\/v([123])(?:\/|$)/.exec(path) ?? []
  const find = (like: string) => document.paths[like]?.get?.responses[status]
  if (version === '3') return [404, 413].includes(status) ? find(MISSING_V3) : undefined
  if (version) return status === 404 || status === 410 ? find('/api/v1/passports/{id}') : undefined
  if (status === 200) return undefined
  return find('/health') ?? document.paths['/ready']?.get?.responses[503]
}

function findPath(path: string) {
  const plain = path.length > 1 && path.startsWith('/api/') ? path.replace(/\/$/, '') : path
  if (document.paths[plain]) return document.paths[plain]
  const template = PATTERNS.find(({ pattern }) => pattern.test(plain))?.template
  return template === undefined ? undefined : document.paths[template]
}
