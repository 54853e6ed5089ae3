import type { DatedPlan, Phase } from '../domain/retirement.ts'
import { formatInstant } from '../domain/text/instant.ts'
import { type Html, html, prose } from './html.ts'
import { renderLayout } from './layout.ts'

/** The parts of an OpenAPI document that the reference page shows. */
export type ReferenceDocument = {
  info: { title: string; version: string; description: string }
  paths: Record<string, { parameters?: readonly unknown[]; get?: unknown; options?: unknown }>
  components: { schemas: Record<string, unknown> }
}

type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters?: (Parameter | { $ref: string })[]
  responses: Record<
    string,
    { description: string; content?: Record<string, { schema: Schema; example?: unknown }> }
  >
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
  items?: Schema
  properties?: Record<string, Schema>
}

type Endpoint = { path: string; operation: Operation; parameters: Parameter[] }

/** Readable without JavaScript; only the forms need the script. */
export function renderReference(
  document: ReferenceDocument,
  { plan, phase, explorer }: { plan: DatedPlan; phase: Phase; explorer: boolean },
): string {
  const endpoints = Object.entries(document.paths)
    .filter(([, item]) => item.get !== undefined)
    .map(([path, item]) => toEndpoint(path, item))
  const v1 = endpoints.filter(({ operation }) => operation.tags.includes('V1'))
  const service = endpoints.filter(({ operation }) => operation.tags.includes('Service'))
  const main = html`<h1>The V1 passport API</h1>
<nav class="contents" aria-label="Endpoints">${v1.map(({ operation }) => html`<a href="#${operation.operationId}">${operation.summary}</a>`)}
<a href="/openapi.json">OpenAPI document</a></nav>
<p>${prose(document.info.description)}</p>
${renderNotice(plan, phase)}
<section id="key" class="key">
<h2><label for="api-key">Your key</label></h2>
<p>Sent as <code>X-API-KEY</code> with each request below. It is not stored.</p>
<input id="api-key" autocomplete="off" spellcheck="false" placeholder="ppd_… (optional)">
</section>
<noscript><p class="notice">Sending requests from this page requires JavaScript.</p></noscript>
${v1.map((endpoint) => renderEndpoint(document, endpoint))}
<section id="service">
<h2>For operators and tools</h2>
<dl>${service.map(({ path, operation }) => html`<dt><a href="${path}"><code>${path}</code></a></dt><dd>${operation.summary}</dd>`)}</dl>
</section>`
  return renderLayout({
    title: `${document.info.title} API reference`,
    description: `${document.info.title}: reference of the V1 passport API`,
    script: '/reference.js',
    here: '/reference',
    explorer,
    main,
  })
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

function toEndpoint(path: string, item: ReferenceDocument['paths'][string]): Endpoint {
  const operation = item.get as Operation
  const all = [...((item.parameters ?? []) as Parameter[]), ...(operation.parameters ?? [])]
  // References are headers common to all endpoints, without a form field.
  return { path, operation, parameters: all.filter((each): each is Parameter => 'name' in each) }
}

function renderEndpoint(document: ReferenceDocument, { path, operation, parameters }: Endpoint): Html {
  const success = operation.responses['200']?.content?.['application/json']
  return html`
<section id="${operation.operationId}" class="call">
<h2>${operation.summary}</h2>
<p class="line"><span class="method">GET</span> <code>${path}</code></p>
<p>${prose(operation.description ?? '')}</p>
<form data-path="${path}">
<h3>Try it</h3>
${parameters.map((parameter) => renderField(operation.operationId, parameter))}
<p class="actions"><button type="submit">Send</button> <code class="curl" data-curl hidden></code></p>
<div class="result" data-result role="status" hidden><p data-summary></p><pre tabindex="0" data-body></pre></div>
</form>
<details><summary>Response fields</summary>${success ? renderFields(document, success.schema) : []}</details>
<details><summary>Example response</summary><pre tabindex="0">${JSON.stringify(success?.example, null, 2)}</pre></details>
<details><summary>Status codes</summary>
<dl>${Object.entries(operation.responses).map(([status, response]) => html`<dt><code>${status}</code></dt><dd>${prose(response.description)}</dd>`)}</dl>
</details>
</section>`
}

function renderField(
  operationId: string,
  { name, in: place, description, required, schema, example }: Parameter,
) {
  const id = `${operationId}-${name}`
  const standard = schema.default === undefined ? '' : String(schema.default)
  return html`
<div class="field">
<label for="${id}"><code>${name}</code> <span class="soft">${schema.type ?? 'string'}${required ? ', required' : ''}</span></label>
<input id="${id}" name="${name}" data-in="${place}" autocomplete="off" spellcheck="false" placeholder="${standard}" value="${example ?? ''}" ${required ? html`required` : html``} aria-describedby="${id}-about">
<p id="${id}-about" class="soft">${prose(description)}</p>
</div>`
}

/** All fields of the schema; nested objects are indented. */
function renderFields(document: ReferenceDocument, schema: Schema): Html {
  const { properties } = resolveSchema(document, schema)
  if (!properties) return html``
  return html`<dl class="fields">${Object.entries(properties).map(([name, field]) => {
    const whole = resolveSchema(document, field)
    const inner = whole.items ? resolveSchema(document, whole.items) : whole
    return html`<dt><code>${name}</code> <span class="soft">${typeName(whole, inner)}</span></dt>
<dd>${prose(whole.description ?? '')}${inner.properties ? renderFields(document, inner) : []}</dd>`
  })}</dl>`
}

function typeName(whole: Schema, inner: Schema): string {
  if (whole.type === 'array') return `list of ${inner.type}s`
  return whole.format === undefined ? (whole.type ?? '') : `${whole.type}, ${whole.format}`
}

function resolveSchema(document: ReferenceDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (document.components.schemas[name] as Schema)
}
