import { type Html, html } from '../design/html.ts'

type SentRequest = { id: string; method: string; url: string; body: unknown }

/**
 * The same request in several languages, of which one is visible. Radio buttons choose it, so that the choice needs no script. The
 * script replaces the texts of `data-url` and `data-json` when the form changes.
 */
export function renderSnippets({ id, method, url, body }: SentRequest): Html {
  const address = html`<span data-url>${url}</span>`
  const json = (language: string, indent: string) =>
    body === undefined
      ? undefined
      : html`<span data-json="${language}">${JSON.stringify(body, null, 2).replaceAll('\n', `\n${indent}`)}</span>`
  const tabs = Object.entries({
    curl: curl(address, json('curl', '  ')),
    JavaScript: javaScript(address, method, json('javascript', '  ')),
    Python: python(address, method, json('python', '    ')),
  })
  const buttons = tabs.map(
    ([name], at) =>
      html`<label><input class="unseen" type="radio" name="language-${id}" value="${name}" autocomplete="off"${at === 0 ? html` checked` : html``}>${name}</label>`,
  )
  return html`<fieldset class="code-block code-tabs">
<legend class="unseen">Language of the example</legend>
<p class="code-header">${buttons}</p>
${tabs.map(([name, code]) => html`<pre tabindex="0" aria-label="${name}"><code>${code}</code></pre>`)}
</fieldset>`
}

const NEWLINE = html` \\
  `

function curl(address: Html, json: Html | undefined): Html {
  const body = json && html`${NEWLINE}-H 'Content-Type: application/json'${NEWLINE}-d '${json}'`
  return html`curl '${address}'${NEWLINE}-H "X-API-KEY: $KEY"${body ?? ''}`
}

function javaScript(address: Html, method: string, json: Html | undefined): Html {
  const options = json
    ? html`method: '${method}',
  headers: { 'X-API-KEY': env.KEY ?? '', 'Content-Type': 'application/json' },
  body: JSON.stringify(${json}),`
    : html`headers: { 'X-API-KEY': env.KEY ?? '' },`
  return html`import { env } from 'node:process'

const response = await fetch('${address}', {
  ${options}
})
console.log(await response.json())`
}

function python(address: Html, method: string, json: Html | undefined): Html {
  const body =
    json &&
    html`
    json=${json},`
  return html`import os
import requests

response = requests.${method.toLowerCase()}(
    '${address}',
    headers={'X-API-KEY': os.environ.get('KEY')},${body ?? ''}
)
print(response.json())`
}
