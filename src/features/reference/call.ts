import { count } from '../../core/basics/text/counts-and-sizes.ts'
import { templateOf } from '../../core/http/openapi.ts'
import type { DocumentedRoute, Parameter } from '../../core/http/route.ts'
import { type Html, html, prose } from '../../ui/html.ts'
import { renderResponses } from './responses.ts'

/** A parameter with a field in the form. */
type Field = Parameter & { name: string; place: 'path' | 'query'; schema: Schema }

/** `key` has the field for the key. It follows the parameters, unless the call needs it. */
export function renderEndpoint(route: DocumentedRoute, origin: string, key: Html): Html {
  const { id, summary, needsKey, access, methods = ['GET'], body, examples } = route
  const fields = fieldsFor(route)
  const title = fields.length > 0 ? 'Parameters' : body && 'Request'
  return html`
<section id="${id}" class="call">
<div class="call-text">
${needsSecret(route) && key}${title && html`<h2>${title}</h2>`}
<form id="call" data-path="${templateOf(route)}" data-method="${methods[0] ?? ''}"
${needsKey && html`data-needs-key `}${access === 'session' && html`data-bearer `}novalidate
aria-label="Try it: ${summary}">
${fields.map((field) => renderField(id, field))}
${body && renderBody(id, examples?.request)}
</form>${!needsSecret(route) && key}
</div>
${renderExample(route, origin, renderResponses(route), SEND)}
<div class="call-fields">
${body && renderSchema('Request fields', true, renderFields(body, (body as Schema).required))}
${renderSchema('Response fields', !body, renderFields(route.response))}
</div>
</section>`
}

const needsSecret = ({ needsKey, access }: DocumentedRoute) => needsKey || access === 'session'

const renderSchema = (title: string, isOpen: boolean, fields: Html) =>
  html`<details${isOpen && html` open`}><summary>${title}</summary>${fields}</details>`

/** Beside the example, which stays visible while the form scrolls. */
const SEND = html`<p><button type="submit" form="call">Send request</button>
<span class="form-problem" data-problem role="alert"></span></p>`

/** An example of a request, between `action` and `response`. */
export function renderExample(route: DocumentedRoute, origin: string, response: Html, action = html``): Html {
  const { id, methods = ['GET'], examples, access, needsKey } = route
  const url = origin + exampleTarget(templateOf(route), fieldsFor(route))
  const secret = access === 'session' ? BEARER : { ...KEY, isOptional: !needsKey }
  return html`<div class="call-code">${action}
${renderSnippets({ id, method: methods[0] ?? '', url, body: examples?.request, secret })}
${response}
</div>`
}

/** The method and the path of a call. */
export function renderPath(route: DocumentedRoute): Html {
  const { methods = ['GET'], needsKey } = route
  const pill = html` <span class="pill">${needsKey ? 'key' : 'token'} required</span>`
  const words = methods.map((method) => html`<span class="method ${method}">${method}</span> `)
  return html`<span class="call-path">${words}<code>${templateOf(route)}</code>${needsSecret(route) && pill}</span>`
}

const fieldsFor = ({ params, query }: DocumentedRoute): Field[] => [
  ...toFields('path', params),
  ...toFields('query', query),
]

const toFields = (place: Field['place'], parameters: DocumentedRoute['params'] = {}): Field[] =>
  Object.entries(parameters).map(([name, parameter]) => ({
    schema: { type: 'string' },
    ...(place === 'path' && { required: true }),
    ...parameter,
    name,
    place,
  }))

/** The heading links to itself, so that its address can be copied. */
export const heading = (id: string, text: string): Html => html`<h2><a href="#${id}">${text}</a></h2>`

const PYTHON_WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }

/** The body as source code: JSON, with other words in Python. */
function toLiteral(body: unknown, language: string): string {
  const json = JSON.stringify(body, null, 2)
  if (language !== 'python') return json
  return json.replace(/"(?:[^"\\]|\\.)*"|[a-z]+/g, (token) => PYTHON_WORDS[token] ?? token)
}

type SentRequest = { id: string; method: string; url: string; body: unknown; secret: typeof KEY }

/** The header of the key, or of the token of a person, and the environment variable that has it. */
const KEY = { name: 'X-API-KEY', scheme: '', variable: 'KEY', isOptional: true }
const BEARER: typeof KEY = { name: 'Authorization', scheme: 'Bearer ', variable: 'TOKEN', isOptional: false }

/**
 * Renders the same request in several languages, of which one is visible. Radio buttons select it, so that no script is
 * needed. When the form or the key changes, the script replaces the text of `data-url`, `data-json` and `data-key`.
 */
function renderSnippets({ id, method, url, body, secret }: SentRequest): Html {
  const address = html`<span data-url>${url}</span>`
  const json = (language: string, indent: string) =>
    body === undefined
      ? undefined
      : html`<span data-json="${language}">${toLiteral(body, language).replaceAll('\n', `\n${indent}`)}</span>`
  const tabs = Object.entries({
    curl: curl(address, method, json('curl', '  '), secret),
    JavaScript: javaScript(address, method, json('javascript', '  '), secret),
    Python: python(address, method, json('python', '    '), secret),
  })
  const buttons = tabs.map(([name], at) => renderLanguage(id, name, at === 0))
  return html`<fieldset class="code-block code-tabs">
<legend class="unseen">Language of the example</legend>
<p class="code-header">${buttons}</p>
${tabs.map(([name, code]) => html`<pre tabindex="0" aria-label="${name}"><code>${code}</code></pre>`)}
</fieldset>`
}

const renderLanguage = (id: string, name: string, isFirst: boolean) =>
  html`<label><input class="unseen" type="radio" name="language-${id}" value="${name}" autocomplete="off"
${isFirst && html`checked`}>${name}</label>`

const NEWLINE = html` \\\n  `

function curl(address: Html, method: string, json: Html | undefined, secret: typeof KEY): Html {
  const body = json && html`${NEWLINE}-H 'Content-Type: application/json'${NEWLINE}-d '${json}'`
  const option = method === (json ? 'POST' : 'GET') ? '' : `-X ${method} `
  const header = html`${NEWLINE}-H "${secret.name}: ${secret.scheme}$${secret.variable}"`
  return html`curl ${option}'${address}'<span data-key>${!secret.isOptional && header}</span>${body}`
}

function javaScript(address: Html, method: string, json: Html | undefined, secret: typeof KEY): Html {
  const { name, scheme, variable } = secret
  const header = html`'${name}': ${scheme ? `\`${scheme}\${env.${variable}}\`` : `env.${variable} ?? ''`}`
  const options = json
    ? html`method: '${method}',
  headers: { ${header}, 'Content-Type': 'application/json' },
  body: JSON.stringify(${json}),`
    : html`${method !== 'GET' && `method: '${method}', `}headers: { ${header} },`
  return html`import { env } from 'node:process'

const response = await fetch('${address}', {
  ${options}
})
console.log(await response.json())`
}

function python(address: Html, method: string, json: Html | undefined, secret: typeof KEY): Html {
  const { name, scheme, variable } = secret
  const value = scheme ? `f'${scheme}{os.environ["${variable}"]}'` : `os.environ.get('${variable}')`
  const body = json && html`\n    json=${json},`
  return html`import os
import requests

response = requests.${method.toLowerCase()}(
    '${address}',
    headers={'${name}': ${value}},${body}
)
print(response.json())`
}

/** Returns the path and query of the form with its initial values. The script builds the same request. */
function exampleTarget(path: string, fields: readonly Field[]): string {
  const query = new URLSearchParams()
  let target = path
  for (const { name, place, example } of fields) {
    if (example === undefined) continue
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(String(example)))
    else query.set(name, String(example))
  }
  return query.size === 0 ? target : `${target}?${String(query).replaceAll('%2C', ',')}`
}

function renderField(operationId: string, field: Field): Html {
  const { name, description, required, schema } = field
  const id = `${operationId}-${name}`
  const type = schema.type === 'array' ? 'list' : (schema.type ?? 'string')
  const choices = schema.enum ?? (type === 'boolean' ? ['true', 'false'] : undefined)
  const values = (schema.items ?? schema.anyOf?.find((part) => part.enum))?.enum
  const about = prose(description.replace(/^- /gm, '• '))
  return html`
<div class="field">
<label for="${id}"><code>${name}</code> <span class="soft">${type}${required && ', required'}</span></label>
${choices ? renderSelect(id, field, choices) : renderInput(id, field)}
${values && html`<datalist id="${id}-values">${values.map(renderOption)}</datalist>`}
<p id="${id}-about" class="soft detail">${about}${values && `: ${values.join(', ')}`}</p>
</div>`
}

const renderOption = (value: string) => html`<option>${value}</option>`

function renderInput(id: string, { name, place, required, schema, example }: Field): Html {
  const placeholder = String(schema.default ?? schema.examples?.[0] ?? '')
  const value = String(example ?? '')
  return html`<input id="${id}"
name="${name}" data-in="${place}" autocomplete="off" spellcheck="false" placeholder="${placeholder}" value="${value}"
${required && html`required `}aria-describedby="${id}-about" list="${id}-values">`
}

function renderSelect(id: string, { name, place, schema }: Field, values: readonly string[]): Html {
  const unset = schema.default === undefined ? 'not set' : `not set: ${schema.default}`
  return html`<select id="${id}" name="${name}" data-in="${place}" autocomplete="off" aria-describedby="${id}-about">
<option value="">${unset}</option>
${values.map(renderOption)}
</select>`
}

function renderBody(operationId: string, example: unknown): Html {
  const id = `${operationId}-body`
  const text = JSON.stringify(example, null, 2)
  const rows = text.split('\n').length + 1
  return html`
<div class="field">
<label for="${id}">Body <span class="soft">JSON</span></label>
<textarea id="${id}" name="body" data-in="body" rows="${rows}" spellcheck="false" autocomplete="off">${text}</textarea>
</div>`
}

type Schema = {
  default?: unknown
  examples?: unknown[]
  type?: string
  format?: string
  description?: string
  const?: unknown
  enum?: readonly string[]
  items?: Schema
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
}

/** All fields of the schema; those of nested objects are folded. */
function renderFields(schema: Schema, required: readonly string[] = []): Html {
  const fields = fieldsOf(schema)
  if (fields.size === 0) return html``
  const rows = [...fields].map(([name, field]) => renderSchemaField(name, field, required.includes(name)))
  return html`<dl class="fields">${rows}</dl>`
}

function renderSchemaField(name: string, field: Schema, isRequired: boolean): Html {
  const { size } = fieldsOf(field)
  const nested = size > 0 && renderSchema(count(size, 'field'), false, renderFields(field))
  return html`<dt><code>${name}</code> <span class="soft">${typeName(field)}${isRequired && ', required'}</span></dt>
<dd>${prose(field.description ?? '')}${nested}</dd>`
}

/** The fields of an object, of the items of a list, or of all alternatives. */
export function fieldsOf(schema: Schema): Map<string, Schema> {
  const { items, anyOf, properties = {} } = schema
  if (items) return fieldsOf(items)
  if (!anyOf) return new Map(Object.entries(properties))
  const all = anyOf.flatMap((each) => [...fieldsOf(each)])
  const byName = Map.groupBy(all, ([name]) => name).entries()
  return new Map(byName.map(([name, same]) => [name, mergeSchemas(same.map(([, field]) => field))]))
}

function mergeSchemas(schemas: readonly Schema[]): Schema {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  const description = distinct[0]?.description ?? ''
  return distinct.length === 1 ? (distinct[0] as Schema) : { anyOf: distinct, description }
}

function typeName(schema: Schema): string {
  const { type, format, items, anyOf, ...fixed } = schema
  const values = fixed.enum ?? (fixed.const === undefined ? undefined : [fixed.const])
  if (values) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (anyOf) return [...new Set(anyOf.map((each) => typeName(each)))].join(' or ')
  if (items) {
    const inner = typeName(items)
    return /^[a-z]+$/.test(inner) ? `list of ${inner}s` : `list of ${inner}`
  }
  return format === undefined ? (type ?? '') : `${type}, ${format}`
}
