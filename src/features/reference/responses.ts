import { STATUS_OF } from '../../core/basics/errors.ts'
import { errorsOf, errorWordsOf, exampleOf, NOT_MODIFIED } from '../../core/http/openapi.ts'
import type { DocumentedRoute } from '../../core/http/route.ts'
import { type Html, html, prose } from '../../ui/html.ts'

/** An example of a successful response. The script replaces it with the response of a sent request. */
export const renderExampleResponse = (
  route: DocumentedRoute,
): Html => html`<div class="code-block" data-response>
${HEADER}
${renderSuccess(route)}
</div>`

/** Examples of the responses of a call by status. Radio buttons select one, so that no script is needed. */
export function renderResponses(route: DocumentedRoute): Html {
  const errors = errorsOf(route).map((code) => {
    const status = STATUS_OF[code]
    const json = JSON.stringify(exampleOf(route, code).example, null, 2)
    const text = html`<p>${prose(errorWordsOf(route, code))}</p>
<pre tabindex="0" aria-label="Status ${status}" data-json-text>${json}</pre>`
    return { status, text }
  })
  const unchanged = route.methods ? [] : [{ status: 304, text: html`<p>${prose(NOT_MODIFIED)}</p>` }]
  const tabs = [...unchanged, ...errors].toSorted((one, other) => one.status - other.status)
  return html`<div class="code-block" data-response>
${HEADER}
<fieldset class="responses">
<legend class="unseen">Status of the response</legend>
${renderTab(route.status ?? 200, true)}
<div>${renderSuccess(route)}</div>
${tabs.map(({ status, text }) => html`${renderTab(status)}\n<div>${text}</div>\n`)}
</fieldset>
</div>`
}

const HEADER = html`<div class="code-header">
<h3 data-title>Example <span class="soft">values may differ</span></h3>
</div>`

const renderTab = (status: number, isFirst = false): Html =>
  html`<label><input class="unseen" type="radio" name="status" autocomplete="off"
${isFirst && html`checked`}><code>${status}</code></label>`

const renderSuccess = ({
  examples,
}: DocumentedRoute): Html => html`<p class="outcome" data-summary role="status"></p>
<p class="next-step" data-hint hidden></p>
<details data-headers hidden><summary>Response headers</summary><dl></dl></details>
<pre tabindex="0" aria-label="Response" data-body data-json-text>${JSON.stringify(examples?.response, null, 2)}</pre>`

/** The statuses of all calls of a version. */
export function renderErrors(calls: readonly DocumentedRoute[]): Html {
  const errors = calls
    .flatMap((route) =>
      errorsOf(route).map((code) => [STATUS_OF[code] as number, errorWordsOf(route, code)] as const),
    )
    .toSorted(([, one], [, other]) => one.length - other.length)
  // A status has one text here: the longest.
  const rows = [...new Map([[304, NOT_MODIFIED], ...errors])]
    .toSorted(([one], [other]) => one - other)
    .map(([code, text]) => html`<dt id="status-${code}"><code>${code}</code></dt><dd>${prose(text)}</dd>`)
  const example = calls[0] && exampleOf(calls[0], 'invalid_request').example
  return html`
<section id="errors" class="call">
<div class="call-text">
<h2><a href="#errors">Errors</a></h2>
<p>The body of an error has a sentence for people and a stable code for programs.
<code>request_id</code> finds the request in the log of the service.</p>
<dl class="statuses">${rows}</dl>
</div>
<div class="call-code">
<div class="code-block">
<div class="code-header"><h3>Example of an error</h3></div>
<pre tabindex="0" aria-label="Status 400" data-json-text>${JSON.stringify(example, null, 2)}</pre>
</div>
</div>
</section>`
}
