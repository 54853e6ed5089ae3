import { ABOUT, errorsOf, exampleOf, NOT_MODIFIED } from '../../api/openapi.ts'
import { ERRORS } from '../../api/openapi-parts.ts'
import { type DocumentedRoute, isDocumented, type Route, SERVICE } from '../../api/route.ts'
import { STATUS_OF } from '../../domain/errors.ts'
import { type Html, html, prose } from '../design/html.ts'
import { renderAddress } from '../design/text.ts'
import { renderLayout } from '../site/layout-and-link-previews.ts'
import { callPath, referencePath, type Site } from '../site/site.ts'
import { fieldsOf, heading, renderEndpoint, renderPath } from './endpoint.ts'

type Options = {
  site: Site
  /** The version of the API that the page shows; also its OpenAPI tag. */
  version: string
  /** The state of V1 in a sentence. */
  headline: Html
  explorer: boolean
  stamp: string | undefined
}

/** The versions of the API, oldest first. */
export const versionsOf = (routes: readonly DocumentedRoute[]): string[] => [
  ...new Set(routes.filter(({ surface }) => surface.usesKeys).map(({ surface }) => surface.tag.name)),
]

/** Renders the page of a call or, without a call, of a version. Only the forms and the search need the script. */
export function renderReference(all: readonly Route[], options: Options, call?: DocumentedRoute): string {
  const { site, version, explorer } = options
  const main = html`<div class="reference" data-origin="${site.origin}"${explorer ? html` data-explorer` : html``}>
${call ? renderCall(call, all, options) : renderVersion(all, options)}
</div>`
  return renderLayout({
    site,
    title: call ? `${call.summary} · ${version} API` : `${version} API reference`,
    description: call
      ? `${call.summary}: parameters, response and examples of the ${version} passport API`
      : `passportd: reference of the ${version} passport API`,
    head: html`<link rel="stylesheet" href="${site.urlOf('reference.css')}">\n`,
    script: call ? 'reference.js' : 'reference-calls.js',
    share: { path: call ? callPath(call) : referencePath(version) },
    here: '/reference/v3',
    explorer,
    main,
  })
}

function renderVersion(all: readonly Route[], options: Options): Html {
  const { version, site } = options
  const routes = all.filter(isDocumented)
  const api = routes.filter(({ surface }) => surface.tag.name === version)
  const service = all.filter(({ surface, summary }) => surface === SERVICE && summary)
  const links = versionsOf(routes).map(
    (each) =>
      html`<a href="${referencePath(each)}"${each === version ? html` aria-current="page"` : html``}>${each}</a>`,
  )
  return html`<h1>The ${version} passport API</h1>
<nav class="versions segments" aria-label="Version of the API">${links}</nav>
${renderNotice(api[0], options)}
<section id="introduction" class="call">
<div class="call-text">
<p>${prose(ABOUT)}</p>
<p>${prose(api[0]?.surface.tag.description ?? '')}</p>
<p id="key">The base URL is <code>${site.origin}${referencePath(version).replace('reference', 'api')}</code>. Send your key in the header <code>X-API-KEY</code>. ${site.limits ?? ''}</p>
${renderKeySource(site.keys)}
<p><a href="/openapi.json">OpenAPI document</a></p>
</div>
<div class="call-code">
<div class="code-block">
<div class="code-header"><p>First request</p></div>
<pre tabindex="0" aria-label="First request"><code>curl '${site.origin}${api[0]?.path ?? ''}'</code></pre>
</div>
</div>
</section>
<section id="calls">
${heading('calls', 'Calls')}
<p class="scripted find-call"><label for="find">Find a call</label> <input id="find" type="search" placeholder="Words, path or parameter" autocomplete="off" spellcheck="false"> <span class="soft" data-count role="status"></span></p>
${[...Map.groupBy(api, ({ scope }) => GROUPS[scope])].map(renderGroup)}
</section>
${renderErrors(api)}
<section id="service">
${heading('service', 'For operators and tools')}
<dl>${service.map(({ path, summary = '' }) => html`<dt><a href="${path}"><code>${path}</code></a></dt><dd>${summary}</dd>`)}</dl>
</section>`
}

/** The groups of calls, by the scope that a key needs. */
const GROUPS = { read: 'Read', events: 'Follow changes', write: 'Write', 'write:*': 'Write' }

const renderGroup = ([title, calls]: [string, readonly DocumentedRoute[]]) =>
  html`<div class="call-list"><h3>${title}</h3><ul class="rows">${calls.map(renderCallRow)}</ul></div>\n`

/** The id is the one that the call had when each version was one page. */
function renderCallRow(route: DocumentedRoute): Html {
  const names = [...Object.keys({ ...route.params, ...route.query }), ...fieldsOf(route.body ?? {}).keys()]
  return html`<li id="${route.id}"><a href="${callPath(route)}">${route.summary}</a> ${renderPath(route)}
<span class="soft detail">${prose(names.map((name) => `\`${name}\``).join(' '))}</span></li>
`
}

function renderCall(call: DocumentedRoute, all: readonly Route[], options: Options): Html {
  const { version, site, stamp } = options
  const calls = all.filter(isDocumented).filter(({ surface }) => surface === call.surface)
  const others = calls.map((each) =>
    each === call
      ? html`<li>${each.summary}</li>`
      : html`<li><a href="${callPath(each)}">${each.summary}</a></li>`,
  )
  const request = renderEndpoint(call, site.origin, stamp)
  return html`<p class="trail"><a href="${referencePath(version)}">${version} API reference</a></p>
<h1>${call.summary}</h1>
<p>${renderPath(call)}</p>
${renderNotice(call, options)}
<p class="lead">${prose(call.description ?? '')}</p>
${call.needsKey ? [renderKey(site), request] : [request, renderKey(site)]}
${renderErrors([call], html`The <a href="${referencePath(version)}#errors">errors of all calls</a> apply here, too.`)}
<section id="others">
${heading('others', `All calls of ${version}`)}
<ul>${others}</ul>
</section>`
}

/** Says whether the version is active, deprecated or removed. */
const renderNotice = (call: DocumentedRoute | undefined, { headline }: Options): Html =>
  call?.surface.retires
    ? html`<section id="deprecation" class="notice">
<h2>${headline}</h2>
<p><a href="/deprecation">Deprecation of V1: dates, and what to do</a></p>
</section>`
    : html``

const renderKeySource = (keys: Site['keys']): Html =>
  keys === undefined ? html`` : html`<p>How to get a key: ${renderAddress(keys)}</p>`

const renderKey = ({ keys }: Site) => html`<section id="key" class="call">
<div class="call-text">
${heading('key', 'Your key')}
<p id="key-about">This page sends the key as <code>X-API-KEY</code> and does not store it. The curl example contains it; the others read it from the environment variable <code>KEY</code>.</p>
${renderKeySource(keys)}
<noscript><p>Sending requests from this page requires JavaScript.</p></noscript>
</div>
<div class="call-code key-row">
<label class="unseen" for="api-key">API key</label>
<input id="api-key" type="password" autocomplete="off" spellcheck="false" placeholder="ppd_… (optional)" aria-describedby="key-about">
<button type="button" class="quiet" data-show hidden>Show key</button>
</div>
</section>`

/** Renders the statuses of a version, or those that a call adds to `common`. */
function renderErrors(api: readonly DocumentedRoute[], common?: Html): Html {
  const errors = api
    .flatMap((route) => (common ? (route.errors ?? []) : errorsOf(route)))
    .map((code) => [STATUS_OF[code] as number, ERRORS[code].description] as const)
    .toSorted(([, one], [, other]) => one.length - other.length)
  // The last text of a status is its longest, which has the causes of the others, too.
  const texts = new Map(common ? errors : [[304, NOT_MODIFIED], ...errors])
  const rows = [...texts]
    .toSorted(([one], [other]) => one - other)
    .map(([code, text]) => html`<dt id="status-${code}"><code>${code}</code></dt><dd>${prose(text)}</dd>`)
  const example = api[0] && exampleOf(api[0], 'invalid_request').example
  return html`
<section id="errors" class="call">
<div class="call-text">
${heading('errors', 'Errors')}
<p>${common ?? ABOUT_ERRORS}</p>
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

const ABOUT_ERRORS = html`The body of an error has a sentence for people and a stable code for programs. <code>request_id</code> finds the request in the log of the service.`
