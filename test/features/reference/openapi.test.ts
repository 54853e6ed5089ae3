import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Schema from 'typebox/schema'
import { version } from '../../../package.json'
import { checkConformance } from '../../support/http/openapi-conformance.ts'
import { serveRecords } from '../../support/http/server.ts'
import { documentOf } from '../../support/program/serving.ts'

const FIXED: Record<string, string> = {
  'Access-Control-Allow-Origin': '*',
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
}
const ROOT = join(import.meta.dir, '../../..')

type Content = Record<string, { schema?: object; example?: unknown }>
type Operation = {
  requestBody?: { content: Content }
  responses: Record<string, { $ref?: string; content?: Content }>
}

const document = documentOf(version)

test('docs/openapi.json is up to date (update it with npm run openapi)', () => {
  const written = readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')
  expect(written).toBe(`${JSON.stringify(documentOf(version), null, 2)}\n`)
})

test('no reference is broken, with V2 or without it', () => {
  for (const compatV2 of [true, false]) {
    const { paths, components } = documentOf('0', { compatV2 })
    const text = JSON.stringify({ paths, components })
    const known = Object.entries(components).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
    )
    const refs = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref)
    expect(refs.filter((ref) => !known.includes(ref ?? ''))).toEqual([])
  }
})

test('routes of a version share the responses to errors that are equal', () => {
  const pathsOfV3 = Object.entries(document.paths).filter(([path]) => path.startsWith('/api/v3'))
  for (const [, item] of pathsOfV3)
    for (const { responses } of Object.values(item as Record<string, Operation>).filter(
      (each) => each.responses,
    ))
      expect(responses[500]).toEqual({ $ref: '#/components/responses/V3_internal' })
})

/** The `content` of all requests and responses that have a body. */
function contentsOf({ paths, components }: typeof document) {
  const shared = components.responses as Operation['responses']
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>)
      .filter(([method]) => method !== 'parameters')
      .flatMap(([method, { requestBody, responses }]) =>
        [requestBody, ...Object.values(responses)]
          .flatMap((body) => Object.entries(body?.content ?? {}))
          .map(([type, content]) => ({ where: `${method} ${path} ${type}`, ...content })),
      ),
  )
  const errors = Object.entries(shared).flatMap(([name, { content = {} }]) =>
    Object.entries(content).map(([type, each]) => ({ where: `${name} ${type}`, ...each })),
  )
  return [...operations, ...errors]
}

test('every request and response body of the API has an example that matches its schema', () => {
  const contents = contentsOf(document)
  const without = contents.filter(({ where, example }) => where.includes(' /api/') && example === undefined)
  expect(without.map(({ where }) => where)).toEqual([])
  for (const { where, schema, example } of contents) {
    if (example === undefined) continue
    const whole = { ...schema, components: document.components }
    expect([where, Schema.Check(whole, example)]).toEqual([where, true])
  }
})

const HEALTH = document.paths['/health'] as unknown as {
  get: { responses: { 200: { headers: object } } }
}

test('the conformance check rejects wrong statuses, fields and headers', () => {
  const headers = Object.fromEntries(
    Object.keys(HEALTH.get.responses[200].headers).map((name) => [name, FIXED[name] ?? 'x']),
  )
  const reply = (status: number, extra = {}) =>
    new Response(null, { status, headers: { ...headers, 'Content-Type': 'application/json', ...extra } })
  const good = '{"status":"ok"}'
  expect(() => checkConformance('GET', '/health', reply(200), good)).not.toThrow()
  for (const [path, response, body, problem] of [
    ['/health', reply(418), good, 'does not describe this status'],
    ['/nowhere', reply(200), good, 'does not describe this status'],
    ['/health', reply(200), '{"status":"ok","more":1}', 'additional'],
    ['/health', reply(200), '{}', 'status'],
    ['/health', reply(200, { 'X-New': '1' }), good, 'headers x-new'],
    ['/health', reply(200, { 'Cache-Control': 'public' }), good, 'Cache-Control: public'],
  ] as const)
    expect(() => checkConformance('GET', path, response, body)).toThrow(problem)
})

test('the schema of a passport with select allows any subset of the fields, and no unknown fields', () => {
  const schema = { $ref: '#/components/schemas/V3SelectedPassport', components: document.components }
  const check = (value: unknown) => Schema.Check(schema, value)
  expect(check({})).toBe(true)
  expect(check({ score: 7, passport_profile: { tags: ['a'] }, credentials: [{ score: 1 }] })).toBe(true)
  expect(check({ score: '7' })).toBe(false)
  expect(check({ points: 7 })).toBe(false)
  expect(check({ passport_profile: { nickname: 'zoe' } })).toBe(false)
})

test('GET /openapi.json serves the document', async () => {
  await using server = await serveRecords({}, [])
  expect((await server.get('/openapi.json')).body).toMatchObject({
    openapi: '3.1.0',
    info: { title: 'passportd' },
  })
  const { body } = await server.get('/openapi.json?version=3.1')
  expect(body.openapi).toBe('3.1.0')
  expect(Object.keys(body.paths['/api/v3/lookup'])).toEqual(['post'])
  // Generators would give a response that can be a stream the type of an object or a text.
  for (const { get, post } of [body.paths['/api/v3/events'], body.paths['/api/v3/lookup']])
    expect(Object.keys((get ?? post).responses[200].content)).toEqual(['application/json'])
})
