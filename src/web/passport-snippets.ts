import { type Html, html } from './html.ts'

/** What programs and other pages may use of this passport. */
export function renderSnippets(id: number, origin: string): Html {
  const api = `/api/v1/passports/${id}`
  const credentials = `/api/v1/passport_credentials?passport_id=${id}`
  return html`<section id="snippets">
<h2>For programs and pages</h2>
<p>As JSON: <a href="${api}">this passport</a>, <a href="${credentials}">its credentials</a>. The <a href="/reference">API reference</a> has all fields.</p>
${isOrigin(origin) ? renderLines(id, origin, [api, credentials]) : html``}
</section>`
}

function renderLines(id: number, origin: string, paths: readonly string[]): Html {
  const page = `${origin}/passports/${id}`
  const badge = `${origin}/badge/${id}.svg`
  return html`<h3>On the command line</h3>
${paths.map((path) => renderLine('command', `curl '${origin}${path}'`))}
<h3>The badge, in Markdown and in HTML</h3>
<p><img class="badge" src="/badge/${id}.svg" alt="The badge of this passport" loading="lazy"></p>
${renderLine('Markdown', `[![Passport ${id}](${badge})](${page})`)}
${renderLine('HTML', `<a href="${page}"><img src="${badge}" alt="Passport ${id}"></a>`)}`
}

const renderLine = (noun: string, text: string) =>
  html`<p class="copyable" data-copy="${noun}"><code>${text}</code></p>
`

/**
 * The origin is what the caller's `Host` says, and people paste these lines into shells and pages: a host may have
 * quotes, dollars and semicolons in it and still be one to a URL parser.
 */
const isOrigin = (origin: string): boolean =>
  /^https?:\/\/(?:[a-z0-9](?:[a-z0-9.-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i.test(origin)
