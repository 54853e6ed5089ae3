import { type Html, html, prose } from '../html.ts'
import { renderLayout } from '../layout.ts'
import type { Site } from '../site/site.ts'
import { type Endpoint, endpointsOf, type ReferenceDocument, referencePath, versionsOf } from './document.ts'
import { heading, renderEndpoint } from './endpoint.ts'
import { PICTURES, renderPictures } from './picture-section.ts'

type Options = {
  site: Site
  /** The tag of a version of the API. */
  version: string
  /** The state of V1. */
  headline: Html
  explorer: boolean
  stamp: string | undefined
}

/** Readable without JavaScript; only the forms need the script. */
export function renderReference(document: ReferenceDocument, options: Options): string {
  const { site, version, headline, explorer, stamp } = options
  const { origin } = site
  const endpoints = endpointsOf(document).map((endpoint) => withStamp(endpoint, stamp))
  const withTag = (tag: string) => endpoints.filter(({ operation }) => operation.tags.includes(tag))
  const api = withTag(version)
  const isDeprecated = version !== versionsOf(document).at(-1)
  const links = renderLinks(api, explorer)
  const main = html`<div class="reference" data-origin="${origin}"${explorer ? html` data-explorer` : html``}>
<details class="contents-menu"><summary>Contents</summary><nav aria-label="Contents">${links}</nav></details>
<nav class="contents" aria-label="Contents">${links}</nav>
<div class="calls">
${renderIntroduction(document, version, origin)}
${isDeprecated ? renderNotice(headline) : html``}
${KEY}
${api.map((endpoint) => renderEndpoint(document, endpoint, origin))}
${explorer ? renderPictures(origin) : html``}
${renderErrors(api)}
<section id="service">
${heading('service', 'For operators and tools')}
<dl>${withTag('Service').map(({ path, operation }) => html`<dt><a href="${path}"><code>${path}</code></a></dt><dd>${operation.summary}</dd>`)}</dl>
</section>
</div>
</div>`
  return renderLayout({
    site,
    title: `${version} API reference`,
    description: `${document.info.title}: reference of the ${version} passport API`,
    head: html`<link rel="stylesheet" href="${site.urlOf('reference.css')}">\n`,
    script: 'reference.js',
    share: { path: referencePath(versionsOf(document), version) },
    here: '/reference/v3',
    explorer,
    main,
  })
}

/** The stamp in the document is of no rule set here. */
const withStamp = (endpoint: Endpoint, stamp: string | undefined): Endpoint => ({
  ...endpoint,
  parameters: endpoint.parameters.map((parameter) =>
    parameter.name === 'stamp' && stamp !== undefined ? { ...parameter, example: stamp } : parameter,
  ),
})

function renderLinks(api: readonly Endpoint[], explorer: boolean): Html {
  const sections = [
    { id: 'key', title: 'Your key' },
    ...api.map(({ operation }) => ({ id: operation.operationId, title: operation.summary })),
    ...(explorer ? [PICTURES] : []),
    { id: 'errors', title: 'Errors' },
    { id: 'service', title: 'For operators and tools' },
  ]
  return html`${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`)}<a href="/openapi.json">OpenAPI document</a>`
}

function renderIntroduction(document: ReferenceDocument, version: string, origin: string): Html {
  const about = document.tags.find(({ name }) => name === version)?.description ?? ''
  return html`<h1>The ${version} passport API</h1>
${renderVersions(document, version)}
<section id="introduction" class="call">
<div class="call-text">
<p>${prose(document.info.description)}</p>
<p>${prose(about)}</p>
</div>
<div class="call-code">
<div class="code-block">
<div class="code-header"><p>Base URL</p></div>
<pre tabindex="0" aria-label="Base URL"><code>${origin}/api/${version.toLowerCase()}</code></pre>
</div>
</div>
</section>`
}

function renderVersions(document: ReferenceDocument, current: string): Html {
  const versions = versionsOf(document)
  const links = versions.map(
    (version) =>
      html`<a href="${referencePath(versions, version)}"${version === current ? html` aria-current="page"` : html``}>${version.toLowerCase()}</a>`,
  )
  return html`<nav class="versions segments" aria-label="Version of the API">${links}</nav>`
}

const KEY = html`<section id="key" class="call">
<div class="call-text">
${heading('key', 'Your key')}
<p id="key-about">This page sends it as <code>X-API-KEY</code> and does not store it. The examples read it from the environment variable <code>KEY</code>; if that is not set, they send no key.</p>
<noscript><p>Sending requests from this page requires JavaScript.</p></noscript>
</div>
<div class="call-code key-row">
<label class="unseen" for="api-key">API key</label>
<input id="api-key" type="password" autocomplete="off" spellcheck="false" placeholder="ppd_… (optional)" aria-describedby="key-about">
<button type="button" class="quiet" data-show hidden>Show key</button>
</div>
</section>`

const renderNotice = (headline: Html): Html => html`<section id="deprecation" class="notice">
<h2>${headline}</h2>
<p><a href="/deprecation">Deprecation of V1: dates, and what to do</a></p>
</section>`

/** The statuses of all endpoints, each once. */
function renderErrors(api: readonly Endpoint[]): Html {
  const responses = api
    .flatMap(({ operation }) => Object.entries(operation.responses))
    .filter(([status]) => status !== '200')
  const byStatus = [...Map.groupBy(responses, ([status]) => status)].toSorted(
    ([a], [b]) => Number(a) - Number(b),
  )
  const rows = byStatus.map(([status, group]) => {
    const texts = new Set(group.map(([, { description }]) => description))
    return html`<dt id="status-${status}"><code>${status}</code></dt>
${[...texts].map((text) => html`<dd>${prose(text)}</dd>`)}`
  })
  const content = Object.values(responses.find(([status]) => status === '400')?.[1].content ?? {})[0]
  return html`
<section id="errors" class="call">
<div class="call-text">
${heading('errors', 'Errors')}
<p>The body of an error has a sentence for people and a stable code for programs. <code>request_id</code> finds the request in the log of the service.</p>
<dl class="statuses">${rows}</dl>
</div>
<div class="call-code">
<div class="code-block">
<div class="code-header"><h3>Example of an error</h3></div>
<pre tabindex="0" aria-label="Error" data-json-text>${JSON.stringify(content?.example, null, 2)}</pre>
</div>
</div>
</section>`
}
