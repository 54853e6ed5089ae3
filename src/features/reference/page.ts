import { ABOUT, templateOf } from '../../core/http/openapi.ts'
import type { DocumentedRoute } from '../../core/http/route.ts'
import { createScript, createStyle, PARTS } from '../../ui/assets-and-csp.ts'
import { type Html, html, prose } from '../../ui/html.ts'
import { renderLayout, renderLink } from '../../ui/layout.ts'
import { callPath, referencePath, renderKeyHelp, type Site } from '../../ui/site.ts'
import { fieldsOf, heading, renderEndpoint, renderExample, renderPath } from './call.ts'
import callScript from './reference.client.ts?text' with { type: 'text' }
import style from './reference.css' with { type: 'text' }
import listScript from './reference-calls.client.ts?text' with { type: 'text' }
import codeScript from './reference-code.client.ts?text' with { type: 'text' }
import layout from './reference-layout.css' with { type: 'text' }
import { renderErrors, renderExampleResponse } from './responses.ts'

const STYLE = createStyle('reference.css', style, layout)
const LIST = createScript('reference-calls.js', PARTS.share, codeScript, listScript)
const CALL = createScript('reference.js', PARTS.share, codeScript, callScript)

export const REFERENCE_ASSETS = [STYLE, LIST, CALL]

type Options = {
  site: Site
  /** The version of the API that the page shows, or else all versions; also its OpenAPI tag. */
  version: string | undefined
  /** The state of the versions that end. */
  notice: Html | undefined
}

/** The versions of the API, newest first. */
export const versionsOf = (calls: readonly DocumentedRoute[]): string[] =>
  [...new Set(calls.map(({ surface }) => surface.tag.name))].toReversed()

/**
 * Renders the page of a call or, without a call, of a version or all versions. Only the forms and the search need the
 * script.
 */
export function renderReference(
  calls: readonly DocumentedRoute[],
  options: Options,
  call?: DocumentedRoute,
): string {
  const { site, version } = options
  const main = html`<div class="reference" data-origin="${site.origin}"${site.explorer && html` data-explorer`}>
${call ? renderCall(call, calls, options) : renderCalls(calls, options)}
${version || !site.explorer ? html`` : PICTURES}
</div>`
  const title = version ? `${version} API reference` : 'API reference'
  return renderLayout({
    site,
    title: call ? `${call.summary} · ${version} API` : title,
    description: `${call?.summary ?? title}: parameters, responses and examples of the passport API`,
    head: html`<link rel="stylesheet" href="${STYLE.url}">\n`,
    script: call ? CALL : LIST,
    share: { path: call ? callPath(call) : referencePath(version) },
    main,
  })
}

function renderCalls(calls: readonly DocumentedRoute[], options: Options): Html {
  const { version, site, notice } = options
  const versions = versionsOf(calls)
  const shown = versions
    .filter((each) => each === (version ?? each))
    .flatMap((each) => calls.filter(({ surface }) => surface.tag.name === each))
  const [first] = shown as [DocumentedRoute]
  const { name, description } = first.surface.tag
  const links = [undefined, ...versions].map((each) =>
    renderLink(referencePath(each), each ?? 'All versions', each === version),
  )
  const groups = Map.groupBy(shown, (call) => (version ? groupOf(call) : nameGroup(call)))
  return html`<div class="cover"><h1>${version ? `The ${version} passport API` : 'API reference'}</h1>
<nav class="segments" aria-label="Version of the API">${links}</nav></div>
${renderNotice(first, options)}
<section id="introduction" class="call">
<div class="call-text">
<h2 class="unseen">Introduction</h2>
<p>${prose(ABOUT)}</p>
${!version && renderNewest(name, notice)}
<h3>Start</h3><p>The example on this page is a first call. You can send requests from the page of each call.</p>
<h3>Address, key and limits</h3>
<p id="key">The base URL is <code>${site.origin}${referencePath(name).replace('reference', 'api')}</code>.
Send your API key in the header <code>X-API-KEY</code>. ${site.limits ?? ''}</p>
${renderKeyHelp(site)}
<h3>Rules</h3><p>${prose(description)} <a href="/openapi.json">OpenAPI document</a></p>
</div>
${renderExample(first, site.origin, renderExampleResponse(first))}
</section>
<section id="calls">
${heading('calls', 'Calls')}
${FIND}
${[...groups].map(renderCallGroup)}
</section>
${version ? renderErrors(shown) : renderErrorsLink(name)}`
}

const renderNewest = (version: string, notice?: Html) =>
  html`<p>New programs use <a href="${referencePath(version)}">${version}</a>.
${notice && html`<a href="/deprecation">${notice}</a>.`}</p>`

const renderErrorsLink = (version: string) =>
  html`<p id="errors">The page of each version describes its <a href="${referencePath(version)}#errors">errors</a>.</p>`

/** Names the group in the list of all versions. */
const nameGroup = (call: DocumentedRoute) =>
  `${call.surface.tag.name}: ${call.surface.retires ? 'deprecated' : groupOf(call).toLowerCase()}`

const PICTURES = html`<section id="pictures">
${heading('pictures', 'Badges, cards and feeds')}
<p>They need no key. The Share button of a page has them ready to copy.</p>
<dl><dt><code>/badge/42.svg?show=level&amp;theme=dark</code></dt>
<dd>A badge of passport 42. <code>show</code> is score, level or top (the rank).</dd>
<dt><code>/badge/42.json?show=score</code></dt><dd>The same for <code>https://img.shields.io/endpoint?url=…</code></dd>
<dt><code>/card/42.png</code></dt><dd>The picture of link previews, 1200 × 630.</dd>
<dt><code>/movers.atom?days=7</code></dt><dd>An Atom feed: whose score rose, fell or is new.</dd></dl>
</section>`

/** In the order of the lists of calls. */
const ORDER = ['Read', 'Follow changes', 'Write', 'Webhooks', 'Your own passport']

export const sortCalls = (calls: readonly DocumentedRoute[]): DocumentedRoute[] =>
  calls.toSorted((one, other) => ORDER.indexOf(groupOf(one)) - ORDER.indexOf(groupOf(other)))

const FIND = html`<p class="scripted find-call"><label for="find">Find a call</label>
<input id="find" type="search" placeholder="Words, path or parameter" autocomplete="off" spellcheck="false">
<span class="soft" data-count role="status"></span></p>`

/** The groups of most calls, by the scope that a key needs. */
const GROUPS = { read: 'Read', events: 'Follow changes', write: 'Write', 'write:*': 'Write' }

/** Calls about the client itself need no key, but a wallet. */
const groupOf = ({ scope, access, path }: DocumentedRoute) =>
  access ? 'Your own passport' : path.includes('/subscriptions') ? 'Webhooks' : GROUPS[scope]

const renderCallGroup = ([title, calls]: [string, readonly DocumentedRoute[]]) =>
  html`<div class="call-list"><h3>${title}</h3><ul class="rows">${calls.map(renderCallRow)}</ul></div>\n`

/** The id is the one that the call had when each version was one page. */
const renderCallRow = (
  route: DocumentedRoute,
) => html`<li id="${route.id}"><a href="${callPath(route)}">${route.summary}</a> ${renderPath(route)}
<span hidden>${namesIn(route)}</span></li>
`

/** The names that the search finds, too. */
const namesIn = ({ params, query, body = {} }: DocumentedRoute) =>
  [...Object.keys({ ...params, ...query }), ...fieldsOf(body).keys()].join(' ')

const renderCallBeside = (route: DocumentedRoute, isHere: boolean) => {
  const words = html`${route.summary} <span>${route.methods?.[0] ?? 'GET'}</span>`
  const hidden = html`<span hidden>${templateOf(route)} ${namesIn(route)}</span>`
  return html`<li>${renderLink(callPath(route), words, isHere)}${hidden}</li>`
}

const renderGroupBeside = (title: string, calls: readonly DocumentedRoute[], here: string) =>
  html`<div class="facet"><h2>${title}</h2>
<ul class="chips">${calls.map((call) => renderCallBeside(call, call.id === here))}</ul></div>`

function renderCall(call: DocumentedRoute, all: readonly DocumentedRoute[], options: Options): Html {
  const { site, version = '' } = options
  const others = all.filter(({ surface }) => surface === call.surface)
  const groups = [...Map.groupBy(others, groupOf)]
  return html`<div class="browse">
<nav id="others" aria-label="Calls"><details class="facets"><summary>All calls of ${version}</summary>
${FIND}
${groups.map(([title, calls]) => renderGroupBeside(title, calls, call.id))}</details></nav>
<div>
<div class="cover"><p class="above"><a href="${referencePath(version)}">${version} API reference</a></p>
<h1>${call.summary}</h1>
<p>${renderPath(call)}</p></div>
${renderNotice(call, options)}
<p class="lead">${prose(call.description ?? '')}</p>
${renderEndpoint(call, site.origin, renderKey(site, call))}
</div>
</div>`
}

/** Says whether the version is active, deprecated or removed. */
const renderNotice = (call: DocumentedRoute, { notice }: Options): Html =>
  call.surface.retires && notice
    ? html`<p id="deprecation" class="notice"><strong>${notice}</strong>
<a href="/deprecation">Dates, and what to do</a></p>`
    : html``

function renderKey(site: Site, { needsKey, access }: DocumentedRoute): Html {
  const isToken = access === 'session'
  const placeholder = isToken ? 'Token' : `ppd_…${needsKey ? '' : ' (optional)'}`
  return html`<div id="key" class="field">
${heading('key', isToken ? 'Your token' : 'Your key')}
<div class="key-row"><label class="unseen" for="api-key">API key or token</label>
<input id="api-key" type="password" autocomplete="off" spellcheck="false" placeholder="${placeholder}"
aria-describedby="key-about">
<button type="button" class="quiet" data-show hidden>Show key</button></div>
${isToken ? ABOUT_TOKEN : html`${ABOUT_KEY}${renderKeyHelp(site)}`}
<noscript><p>Sending requests from this page requires JavaScript.</p></noscript>
</div>
`
}

const ABOUT_KEY = html`<p id="key-about">This page sends the key as <code>X-API-KEY</code> and does not store it.
The curl example contains it; the others read it from the environment variable <code>KEY</code>.</p>`

const ABOUT_TOKEN = html`<p id="key-about">This page sends the token as <code>Authorization: Bearer</code>
and does not store it. To get one for an hour,
<a href="/reference/v3/openSession">prove a wallet of your passport</a>.</p>`
