import { parseOrigin } from '../../domain/url.ts'
import type { ApiState } from '../explorer-page.ts'
import { type Html, html } from '../html.ts'

export function renderSnippets(id: number, origin: string, state: ApiState): Html {
  // Validated, because people paste these lines into shells and pages.
  const plain = parseOrigin(origin)?.origin
  const api = `/api/v1/passports/${id}`
  const credentials = `/api/v1/passport_credentials?passport_id=${id}`
  return html`<section id="snippets">
<h2>API and badge</h2>
${state === 'removed' ? REMOVED : html`<p>As JSON: <a href="${api}">this passport</a>, <a href="${credentials}">its credentials</a>${state === 'open' ? '' : ' (key required)'}. The <a href="/reference">API reference</a> describes all fields.</p>`}
${plain === undefined || state === 'removed' ? html`` : renderCommands(plain, [api, credentials], state)}
${plain === undefined ? html`` : renderBadge(id, plain)}
</section>`
}

const REMOVED = html`<p>The V1 API of this service <a href="/deprecation">was removed</a>.</p>`

function renderCommands(origin: string, paths: readonly string[], state: ApiState): Html {
  const key = state === 'open' ? '' : '-H "X-API-KEY: $KEY" '
  return html`<h3>Command line</h3>
${paths.map((path) => renderLine('command', `curl ${key}'${origin}${path}'`))}`
}

function renderBadge(id: number, origin: string): Html {
  const page = `${origin}/passports/${id}`
  const badge = `${origin}/badge/${id}.svg`
  return html`<h3>Badge in Markdown and HTML</h3>
<p><img class="badge" src="/badge/${id}.svg" alt="Badge of this passport" loading="lazy"></p>
${renderLine('Markdown', `[![Passport ${id}](${badge})](${page})`)}
${renderLine('HTML', `<a href="${page}"><img src="${badge}" alt="Passport ${id}"></a>`)}`
}

const renderLine = (noun: string, text: string) =>
  html`<p class="copyable" data-copy="${noun}"><code>${text}</code></p>
`
