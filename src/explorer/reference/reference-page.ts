import { ABOUT, errorsOf, exampleOf, NOT_MODIFIED } from '../../api/openapi.ts'
import { ERRORS } from '../../api/openapi-parts.ts'
import { type DocumentedRoute, isDocumented, type Route, SERVICE } from '../../api/route.ts'
import { STATUS_OF } from '../../domain/errors.ts'
import { type Html, html, prose } from '../design/html.ts'
import { renderAddress } from '../design/text.ts'
import { renderLayout } from '../site/layout-and-link-previews.ts'
import type { Site } from '../site/site.ts'
import { heading, renderEndpoint } from './endpoint.ts'

type Options = {
  site: Site
  /** The version of the API that the page shows; also its OpenAPI tag. */
  version: string
  /** Says whether V1 is active, deprecated or removed. */
  headline: Html
  explorer: boolean
  stamp: string | undefined
}

/** The versions of the API, oldest first. */
export const versionsOf = (routes: readonly DocumentedRoute[]): string[] => [
  ...new Set(routes.filter(({ surface }) => surface.usesKeys).map(({ surface }) => surface.tag.name)),
]

/** The page of the first version is `/reference` itself. */
export const referencePath = (versions: readonly string[], version: string): string =>
  version === versions[0] ? '/reference' : `/reference/${version.toLowerCase()}`

/** Renders a page that is readable without JavaScript. Only its forms need the script. */
export function renderReference(all: readonly Route[], options: Options): string {
  const { site, version, headline, explorer, stamp } = options
  const { origin } = site
  const routes = all.filter(isDocumented)
  const api = routes.filter(({ surface }) => surface.tag.name === version)
  const service = all.filter(({ surface, summary }) => surface === SERVICE && summary)
  const versions = versionsOf(routes)
  const surface = api[0]?.surface
  const links = renderLinks(api)
  const notice = surface?.retires
    ? html`<section id="deprecation" class="notice">
<h2>${headline}</h2>
<p><a href="/deprecation">Deprecation of V1: dates, and what to do</a></p>
</section>`
    : html``
  const main = html`<div class="reference" data-origin="${origin}"${explorer ? html` data-explorer` : html``}>
<details class="contents-menu"><summary>Contents</summary><nav aria-label="Contents">${links}</nav></details>
<nav class="contents" aria-label="Contents">${links}</nav>
<div class="calls">
${renderIntroduction(versions, version, surface?.tag.description ?? '', origin)}
${notice}
${renderKey(site)}
${api.map((route) => renderEndpoint(route, origin, stamp))}
${renderErrors(api)}
<section id="service">
${heading('service', 'For operators and tools')}
<dl>${service.map(({ path, summary = '' }) => html`<dt><a href="${path}"><code>${path}</code></a></dt><dd>${summary}</dd>`)}</dl>
</section>
</div>
</div>`
  return renderLayout({
    site,
    title: `${version} API reference`,
    description: `passportd: reference of the ${version} passport API`,
    head: html`<link rel="stylesheet" href="${site.urlOf('reference.css')}">\n`,
    script: 'reference.js',
    share: { path: referencePath(versions, version) },
    here: '/reference/v3',
    explorer,
    main,
  })
}

function renderLinks(api: readonly DocumentedRoute[]): Html {
  const sections = [
    { id: 'key', title: 'Your key' },
    ...api.map(({ id, summary }) => ({ id, title: summary })),
    { id: 'errors', title: 'Errors' },
    { id: 'service', title: 'For operators and tools' },
  ]
  return html`${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`)}<a href="/openapi.json">OpenAPI document</a>`
}

function renderIntroduction(
  versions: readonly string[],
  version: string,
  about: string,
  origin: string,
): Html {
  const links = versions.map(
    (each) =>
      html`<a href="${referencePath(versions, each)}"${each === version ? html` aria-current="page"` : html``}>${each.toLowerCase()}</a>`,
  )
  return html`<h1>The ${version} passport API</h1>
<nav class="versions segments" aria-label="Version of the API">${links}</nav>
<section id="introduction" class="call">
<div class="call-text">
<p>${prose(ABOUT)}</p>
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

const renderKey = ({ keys }: Site) => html`<section id="key" class="call">
<div class="call-text">
${heading('key', 'Your key')}
<p id="key-about">This page sends it as <code>X-API-KEY</code> and does not store it. The examples read it from the environment variable <code>KEY</code>; if that is not set, they send no key.</p>
${keys === undefined ? html`` : html`<p>How to get a key: ${renderAddress(keys)}</p>`}
<noscript><p>Sending requests from this page requires JavaScript.</p></noscript>
</div>
<div class="call-code key-row">
<label class="unseen" for="api-key">API key</label>
<input id="api-key" type="password" autocomplete="off" spellcheck="false" placeholder="ppd_… (optional)" aria-describedby="key-about">
<button type="button" class="quiet" data-show hidden>Show key</button>
</div>
</section>`

/** The statuses of all endpoints, each once. */
function renderErrors(api: readonly DocumentedRoute[]): Html {
  const errors = api.flatMap((route) =>
    errorsOf(route).map((code) => ({ status: STATUS_OF[code] as number, text: ERRORS[code].description })),
  )
  const byStatus = Map.groupBy([{ status: 304, text: NOT_MODIFIED }, ...errors], ({ status }) => status)
  const rows = [...byStatus]
    .toSorted(([one], [other]) => one - other)
    .map(([status, group]) => {
      const texts = new Set(group.map(({ text }) => text))
      return html`<dt id="status-${status}"><code>${status}</code></dt>
${[...texts].map((text) => html`<dd>${prose(text)}</dd>`)}`
    })
  const example = api[0] && exampleOf(api[0].surface, 'invalid_request').example
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
<pre tabindex="0" aria-label="Error" data-json-text>${JSON.stringify(example, null, 2)}</pre>
</div>
</div>
</section>`
}
