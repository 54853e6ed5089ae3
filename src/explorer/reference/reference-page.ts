import type { DatedPlan, Phase } from '../../domain/retirement.ts'
import { formatInstant } from '../../domain/text/instant.ts'
import { type Html, html, prose } from '../html.ts'
import { renderLayout } from '../layout.ts'

/** The parts of an OpenAPI document that the reference page shows. */
export type ReferenceDocument = {
  info: { title: string; version: string; description: string }
  tags: readonly { name: string; description: string }[]
  paths: Record<string, PathItem>
  components: { schemas: Record<string, unknown> }
}

type PathItem = { parameters?: readonly unknown[] } & Partial<Record<Method, unknown>>

/** Preflights are left out. */
const METHODS = ['get', 'post', 'query'] as const

type Method = (typeof METHODS)[number]

type Content = Record<string, { schema: Schema; example?: unknown }>

type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}

type Parameter = {
  name: string
  in: 'query' | 'path' | 'header'
  description: string
  required?: boolean
  schema: Schema
  example?: string
}

type Schema = {
  $ref?: string
  type?: string
  format?: string
  description?: string
  default?: unknown
  examples?: readonly unknown[]
  const?: unknown
  enum?: readonly string[]
  items?: Schema
  prefixItems?: Schema[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
}

/** Methods with the same summary do the same; the first is shown. */
type Endpoint = { path: string; methods: Method[]; operation: Operation; parameters: Parameter[] }

type Options = {
  /** The tag of a version of the API. */
  version: string
  plan: DatedPlan
  phase: Phase
  explorer: boolean
}

/** The versions of the API in the document, oldest first. */
export const versionsOf = ({ tags }: Pick<ReferenceDocument, 'tags'>): string[] =>
  tags.map(({ name }) => name).filter((name) => /^v\d/i.test(name))

/** The page of the first version has the address of the reference. */
export const referencePath = (versions: readonly string[], version: string): string =>
  version === versions[0] ? '/reference' : `/reference/${version.toLowerCase()}`

/** Readable without JavaScript; only the forms need the script. */
export function renderReference(
  document: ReferenceDocument,
  { version, plan, phase, explorer }: Options,
): string {
  const endpoints = Object.entries(document.paths).flatMap(([path, item]) => toEndpoints(path, item))
  const withTag = (tag: string) => endpoints.filter(({ operation }) => operation.tags.includes(tag))
  const api = withTag(version)
  const about = document.tags.find(({ name }) => name === version)?.description ?? ''
  const isDeprecated = version !== versionsOf(document).at(-1)
  const main = html`<h1>The ${version} passport API</h1>
${renderVersions(document, version)}
<nav class="contents" aria-label="Endpoints">${api.map(({ operation }) => html`<a href="#${operation.operationId}">${operation.summary}</a>`)}
<a href="/openapi.json">OpenAPI document</a></nav>
<p>${prose(document.info.description)}</p>
<p>${prose(about)}</p>
${isDeprecated ? renderNotice(plan, phase) : html``}
<section id="key" class="key">
<h2><label for="api-key">Your key</label></h2>
<p>Sent as <code>X-API-KEY</code> with each request below. It is not stored.</p>
<input id="api-key" autocomplete="off" spellcheck="false" placeholder="ppd_… (optional)">
</section>
<noscript><p class="notice">Sending requests from this page requires JavaScript.</p></noscript>
${api.map((endpoint) => renderEndpoint(document, endpoint))}
<section id="service">
<h2>For operators and tools</h2>
<dl>${withTag('Service').map(({ path, operation }) => html`<dt><a href="${path}"><code>${path}</code></a></dt><dd>${operation.summary}</dd>`)}</dl>
</section>`
  return renderLayout({
    title: `${document.info.title} ${version} API reference`,
    description: `${document.info.title}: reference of the ${version} passport API`,
    script: '/reference.js',
    here: '/reference',
    explorer,
    main,
  })
}

function renderVersions(document: ReferenceDocument, current: string): Html {
  const versions = versionsOf(document)
  const links = versions.map(
    (version) =>
      html`<a href="${referencePath(versions, version)}"${version === current ? html` aria-current="page"` : html``}>${version}</a>`,
  )
  return html`<nav class="versions" aria-label="Version of the API">${links}</nav>`
}

function renderNotice(plan: DatedPlan, phase: Phase): Html {
  return html`<section id="deprecation" class="notice">
<h2>${TITLES[phase]}</h2>
<p>${prose(describeEnd(plan, phase))}
<a href="/deprecation">Deprecation of V1: dates, and what to do</a></p>
</section>`
}

const TITLES: Record<Phase, string> = {
  announced: 'V1 will be deprecated',
  deprecated: 'V1 is deprecated',
  brownout: 'V1 is deprecated',
  removed: 'V1 was removed',
}

function describeEnd({ deprecatedAt, sunsetAt }: DatedPlan, phase: Phase): string {
  const removal = sunsetAt === undefined ? undefined : formatInstant(sunsetAt)
  if (phase === 'removed') return `Since ${removal} every request below gets status 410.`
  return [
    'V1 gets no new features.',
    `Its deprecation date is ${formatInstant(deprecatedAt).slice(0, 10)},`,
    'as in the `Deprecation` header of every response.',
    removal === undefined ? 'No removal date is set.' : `Its removal date is ${removal}.`,
  ].join(' ')
}

function toEndpoints(path: string, item: PathItem): Endpoint[] {
  const shared = (item.parameters ?? []) as Parameter[]
  const operations = METHODS.filter((method) => item[method]).map((method) => ({
    method,
    operation: item[method] as Operation,
  }))
  const groups = Map.groupBy(operations, ({ operation }) => operation.summary)
  return [...groups.values()].flatMap((group) => {
    const operation = group[0]?.operation
    if (!operation) return []
    // Headers have no form field; references are headers common to all endpoints.
    const parameters = [...shared, ...(operation.parameters ?? [])]
      .filter((each) => 'name' in each)
      .filter((each) => each.in !== 'header')
    return [{ path, methods: group.map(({ method }) => method), operation, parameters }]
  })
}

function renderEndpoint(document: ReferenceDocument, endpoint: Endpoint): Html {
  const { path, methods, operation, parameters } = endpoint
  const { operationId, responses } = operation
  const body = operation.requestBody?.content['application/json']
  const success = responses['200']?.content?.['application/json']
  return html`
<section id="${operationId}" class="call">
<h2>${operation.summary}</h2>
<p class="line">${methods.map((method) => html`<span class="method">${method.toUpperCase()}</span> `)}<code>${path}</code></p>
<p>${prose(operation.description ?? '')}</p>
<form data-path="${path}" data-method="${methods[0]?.toUpperCase() ?? ''}">
<h3>Try it</h3>
${parameters.map((parameter) => renderField(operationId, parameter))}
${body ? renderBody(operationId, body.example) : html``}
<p class="actions"><button type="submit">Send</button> <code class="curl" data-curl hidden></code></p>
<div class="result" data-result role="status" hidden><p data-summary></p><pre tabindex="0" data-body></pre></div>
</form>
${body ? html`<details><summary>Request fields</summary>${renderFields(document, body.schema)}</details>` : html``}
<details><summary>Response fields</summary>${success ? renderFields(document, success.schema) : []}</details>
<details><summary>Example response</summary><pre tabindex="0">${JSON.stringify(success?.example, null, 2)}</pre></details>
<details><summary>Status codes</summary>
<dl>${Object.entries(responses).map(([status, response]) => html`<dt><code>${status}</code></dt><dd>${prose(response.description)}</dd>`)}</dl>
</details>
</section>`
}

function renderField(
  operationId: string,
  { name, in: place, description, required, schema, example }: Parameter,
) {
  const id = `${operationId}-${name}`
  const placeholder = String(schema.default ?? schema.examples?.[0] ?? '')
  const values = schema.enum ?? schema.items?.enum
  return html`
<div class="field">
<label for="${id}"><code>${name}</code> <span class="soft">${schema.type === 'array' ? 'list' : (schema.type ?? 'string')}${required ? ', required' : ''}</span></label>
<input id="${id}" name="${name}" data-in="${place}" autocomplete="off" spellcheck="false" placeholder="${placeholder}" value="${example ?? ''}" ${required ? html`required` : html``} aria-describedby="${id}-about">
<p id="${id}-about" class="soft">${prose(description)}${values ? html`: ${values.join(', ')}` : html``}</p>
</div>`
}

function renderBody(operationId: string, example: unknown): Html {
  const id = `${operationId}-body`
  const text = JSON.stringify(example, null, 2)
  return html`
<div class="field">
<label for="${id}">Body <span class="soft">JSON</span></label>
<textarea id="${id}" rows="${text.split('\n').length}" spellcheck="false">${text}</textarea>
</div>`
}

/** All fields of the schema; nested objects are indented. */
function renderFields(document: ReferenceDocument, schema: Schema): Html {
  const fields = fieldsOf(document, schema)
  if (fields.size === 0) return html``
  const rows = [...fields].map(([name, field]) => {
    const whole = resolveSchema(document, field)
    return html`<dt><code>${name}</code> <span class="soft">${typeName(document, whole)}</span></dt>
<dd>${prose(whole.description ?? '')}${renderFields(document, whole)}</dd>`
  })
  return html`<dl class="fields">${rows}</dl>`
}

/** The fields of an object, of the items of a list, or of all alternatives. */
function fieldsOf(document: ReferenceDocument, schema: Schema): Map<string, Schema> {
  const { items, anyOf, properties = {} } = resolveSchema(document, schema)
  if (items) return fieldsOf(document, items)
  if (!anyOf) return new Map(Object.entries(properties))
  const all = anyOf.flatMap((each) => [...fieldsOf(document, each)])
  return new Map(
    [...Map.groupBy(all, ([name]) => name)].map(([name, same]) => [
      name,
      mergeSchemas(same.map(([, field]) => field)),
    ]),
  )
}

function mergeSchemas(schemas: readonly Schema[]): Schema {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  return distinct.length === 1 ? (distinct[0] as Schema) : { anyOf: distinct }
}

function typeName(document: ReferenceDocument, schema: Schema): string {
  const { type, format, items, prefixItems, anyOf, ...fixed } = resolveSchema(document, schema)
  const values = fixed.enum ?? (fixed.const === undefined ? undefined : [fixed.const])
  if (values) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (anyOf) return [...new Set(anyOf.map((each) => typeName(document, each)))].join(' or ')
  if (prefixItems) return `[${prefixItems.map((each) => typeName(document, each)).join(', ')}]`
  if (items) {
    const inner = typeName(document, items)
    return /^[a-z]+$/.test(inner) ? `list of ${inner}s` : `list of ${inner}`
  }
  return format === undefined ? (type ?? '') : `${type}, ${format}`
}

function resolveSchema(document: ReferenceDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (document.components.schemas[name] as Schema)
}
