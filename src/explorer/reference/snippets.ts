import { type Html, html } from '../design/html.ts'

type Tab = { name: string; code: Html }

/** One of several code blocks is visible. Radio buttons choose it, so that the choice needs no script. */
export function renderTabs(id: string, label: string, tabs: readonly Tab[]): Html {
  const buttons = tabs.map(
    ({ name }, at) =>
      html`<label><input class="unseen" type="radio" name="${id}" value="${name}" autocomplete="off"${at === 0 ? html` checked` : html``}>${name}</label>`,
  )
  return html`<fieldset class="code-block code-tabs">
<legend class="unseen">${label}</legend>
<p class="code-header">${buttons}</p>
${tabs.map(({ name, code }) => html`<pre tabindex="0" aria-label="${name}"><code>${code}</code></pre>`)}
</fieldset>`
}

type SentRequest = { id: string; method: string; url: string; body: unknown }

/** The script replaces the texts of `data-url` and `data-json` when the form changes. */
export function renderSnippets({ id, method, url, body }: SentRequest): Html {
  const address = html`<span data-url>${url}</span>`
  const json = (language: string, indent: string) =>
    html`<span data-json="${language}">${JSON.stringify(body, null, 2).replaceAll('\n', `\n${indent}`)}</span>`
  return renderTabs(`language-${id}`, 'Language of the example', [
    { name: 'curl', code: body === undefined ? curl(address) : curl(address, json('curl', '  ')) },
    {
      name: 'JavaScript',
      code: body === undefined ? javaScript(address) : javaScript(address, method, json('javascript', '  ')),
    },
    {
      name: 'Python',
      code: body === undefined ? python(address) : python(address, method, json('python', '    ')),
    },
  ])
}

const NEWLINE = html` \\
  `

function curl(address: Html, json?: Html): Html {
  const body = json && html`${NEWLINE}-H 'Content-Type: application/json'${NEWLINE}-d '${json}'`
  return html`curl '${address}'${NEWLINE}-H "X-API-KEY: $KEY"${body ?? ''}`
}

function javaScript(address: Html, method?: string, json?: Html): Html {
  const options = json
    ? html`method: '${method ?? ''}',
  headers: { 'X-API-KEY': env.KEY ?? '', 'Content-Type': 'application/json' },
  body: JSON.stringify(${json}),`
    : html`headers: { 'X-API-KEY': env.KEY ?? '' },`
  return html`import { env } from 'node:process'

const response = await fetch('${address}', {
  ${options}
})
console.log(await response.json())`
}

function python(address: Html, method = 'GET', json?: Html): Html {
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
