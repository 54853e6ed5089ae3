import { parseOrigin } from '../../domain/url.ts'
import type { ApiState } from '../explorer-page.ts'
import { type Html, html } from '../html.ts'

/** What programs and other pages may use of this passport. */
export function renderSnippets(id: number, origin: string, state: ApiState): Html {
  // People paste these lines into shells and pages.
  const plain = parseOrigin(origin)?.origin
  const api = `/api/v1/passports/${id}`
  const credentials = `/api/v1/passport_credentials?passport_id=${id}`
  return html`<section id="snippets">
<h2>For programs and pages</h2>
${state === 'removed' ? REMOVED : html`<p>As JSON: <a href="${api}">this passport</a>, <a href="${credentials}">its credentials</a>${state === 'open' ? '' : ', with a key'}. The <a href="/reference">API reference</a> has all fields.</p>`}
${plain === undefined || state === 'removed' ? html`` : renderCommands(plain, [api, credentials], state)}
${plain === undefined ? html`` : renderBadge(id, plain)}
</section>`
}

const REMOVED = html`<p>The V1 API of this service was removed: see <a href="/deprecation">how V1 ends</a>.</p>`

function renderCommands(origin: string, paths: readonly string[], state: ApiState): Html {
  const key = state === 'open' ? '' : '-H "X-API-KEY: $KEY" '
  return html`<h3>On the command line</h3>
${paths.map((path) => renderLine('command', `curl ${key}'${origin}${path}'`))}`
}

function renderBadge(id: number, origin: string): Html {
  const page = `${origin}/passports/${id}`
  const badge = `${origin}/badge/${id}.svg`
  return html`<h3>The badge, in Markdown and in HTML</h3>
<p><img class="badge" src="/badge/${id}.svg" alt="The badge of this passport" loading="lazy"></p>
${renderLine('Markdown', `[![Passport ${id}](${badge})](${page})`)}
${renderLine('HTML', `<a href="${page}"><img src="${badge}" alt="Passport ${id}"></a>`)}`
}

const renderLine = (noun: string, text: string) =>
  html`<p class="copyable" data-copy="${noun}"><code>${text}</code></p>
`
