import { type Html, html, prose } from '../html.ts'
import type { Endpoint, Parameter, ReferenceDocument } from './document.ts'
import { renderFields } from './schema-fields.ts'
import { renderSnippets } from './snippets.ts'

export function renderEndpoint(document: ReferenceDocument, endpoint: Endpoint, origin: string): Html {
  const { path, methods, operation, parameters } = endpoint
  const { operationId: id, summary, description = '', responses } = operation
  const body = operation.requestBody?.content['application/json']
  const success = responses['200']?.content?.['application/json']
  const method = methods[0]?.toUpperCase() ?? ''
  return html`
<section id="${id}" class="call">
<div class="call-text">
${heading(id, summary)}
<p class="call-path">${methods.map((each) => html`<span class="method">${each.toUpperCase()}</span> `)}<code>${path}</code>${needsKey(endpoint) ? html` <span class="pill">key required</span>` : html``}</p>
<p>${prose(description)}</p>
<form data-path="${path}" data-method="${method}"${needsKey(endpoint) ? html` data-needs-key` : html``} novalidate aria-label="Try it: ${summary}">
${parameters.map((parameter) => renderField(id, parameter))}
${body ? renderBody(id, body.example) : html``}
<p class="row form-actions"><button type="submit">Send request</button> <span class="form-problem" data-problem role="alert"></span></p>
</form>
</div>
<div class="call-code">
${renderSnippets({ id, method, url: origin + exampleTarget(endpoint), body: body?.example })}
${renderResponse(success?.example)}
</div>
<div class="call-fields">
${body ? html`<details><summary>Request fields</summary>${renderFields(document, body.schema)}</details>` : html``}
<details><summary>Response fields</summary>${success ? renderFields(document, success.schema) : []}</details>
<p class="soft">Errors: ${errorLinks(Object.keys(responses))}</p>
</div>
</section>`
}

/** The heading links to itself, so that its address can be copied. */
export const heading = (id: string, text: string): Html => html`<h2><a href="#${id}">${text}</a></h2>`

/** A block for an example; the script replaces it by the response of a request. */
function renderResponse(example: unknown): Html {
  return html`<div class="code-block" data-response>
<div class="code-header"><h3 data-title>Example response</h3></div>
<p class="outcome" data-summary role="status"></p>
<p class="next-step" data-hint hidden></p>
<details data-headers hidden><summary>Response headers</summary><dl></dl></details>
<pre tabindex="0" aria-label="Response" data-body data-json-text>${JSON.stringify(example, null, 2)}</pre>
</div>`
}

const errorLinks = (statuses: readonly string[]): Html[] =>
  statuses
    .filter((status) => status >= '400')
    .map((status) => html`<a href="#status-${status}">${status}</a> `)

const needsKey = ({ operation: { security = [{}] } }: Endpoint): boolean =>
  security.every((scheme) => Object.keys(scheme).length > 0)

/** Path and query of the request that the form makes at first; the script makes the same. */
function exampleTarget({ path, parameters }: Endpoint): string {
  const query = new URLSearchParams()
  let target = path
  for (const { name, in: place, example } of parameters) {
    if (example === undefined) continue
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(example))
    else query.set(name, example)
  }
  return query.size === 0 ? target : `${target}?${query}`
}

function renderField(operationId: string, parameter: Parameter): Html {
  const { name, description, required, schema } = parameter
  const id = `${operationId}-${name}`
  const values = schema.items?.enum
  return html`
<div class="field">
<label for="${id}"><code>${name}</code> <span class="soft">${schema.type === 'array' ? 'list' : (schema.type ?? 'string')}${required ? ', required' : ''}</span></label>
${schema.enum ? renderSelect(id, parameter, schema.enum) : renderInput(id, parameter)}
<p id="${id}-about" class="soft">${prose(description)}${values ? html`: ${values.join(', ')}` : html``}</p>
</div>`
}

function renderInput(id: string, { name, in: place, required, schema, example }: Parameter): Html {
  const placeholder = String(schema.default ?? schema.examples?.[0] ?? '')
  return html`<input id="${id}" name="${name}" data-in="${place}" autocomplete="off" spellcheck="false" placeholder="${placeholder}" value="${example ?? ''}" ${required ? html`required` : html``} aria-describedby="${id}-about">`
}

function renderSelect(id: string, { name, in: place, schema }: Parameter, values: readonly string[]): Html {
  const unset = schema.default === undefined ? 'not set' : `not set: ${schema.default}`
  return html`<select id="${id}" name="${name}" data-in="${place}" autocomplete="off" aria-describedby="${id}-about"><option value="">${unset}</option>${values.map((value) => html`<option>${value}</option>`)}</select>`
}

function renderBody(operationId: string, example: unknown): Html {
  const id = `${operationId}-body`
  const text = JSON.stringify(example, null, 2)
  return html`
<div class="field">
<label for="${id}">Body <span class="soft">JSON</span></label>
<textarea id="${id}" name="body" data-in="body" rows="${text.split('\n').length}" spellcheck="false" autocomplete="off">${text}</textarea>
</div>`
}
