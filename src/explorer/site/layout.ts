import type { RenderedPage } from '../../api/rendered-page.ts'
import { LATIN_FONT_PATH } from '../design/fonts.ts'
import { type Html, html } from '../design/html.ts'
import type { AssetName } from './assets.ts'
import { file, POLICY } from './files.ts'
import type { Site } from './site.ts'
import { renderShareMeta, type Share } from './social-meta.ts'

type Layout = {
  site: Site
  title: string
  /** For search engines and link previews. */
  description: string
  head?: Html
  script?: AssetName
  /** The link preview; by default with the title, the description and the card of the site. */
  share?: Share
  /** The path of the current page in the header's navigation. */
  here?: string
  /** If the explorer is off, the header has no link to it. */
  explorer?: boolean
  main: Html
}

/** A page of the explorer. */
export const respondPage = (layout: Layout, status = 200): RenderedPage =>
  file('text/html', renderLayout(layout), POLICY.explorer, status)

export function renderLayout(layout: Layout): string {
  const { site, title, description, head, share, script, here, explorer = true, main } = layout
  const link = (path: string, text: string) =>
    html`<a href="${path}"${path === here ? html` aria-current="page"` : html``}>${text}</a>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<title>${title} · ${site.name}</title>
${renderIcons(site, explorer)}
<link rel="preload" href="${LATIN_FONT_PATH}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${site.urlOf('style.css')}">
${renderShareMeta(site, { title, description, ...share })}${head ?? html``}${script === undefined ? html`` : html`<script type="module" src="${site.urlOf(script)}"></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<p class="brand"><a href="/">${site.name}</a></p>
<nav aria-label="Pages">${explorer ? html`${link('/', 'People')} ${link('/credentials', 'Credentials')} ${link('/compare', 'Compare')} ` : html``}${link('/reference/v3', 'API')}</nav>
</header>
<main id="main">
${main}
</main>
<footer><div>
<p>${site.name} publishes professional-reputation records: people with a score for activity, identity and skills.</p>
<nav aria-label="About this site">${site.contact === undefined ? html`` : html`<a href="${site.contact}">Contact</a> `}${site.privacyUrl === undefined ? html`` : html`<a href="${site.privacyUrl}" rel="noreferrer">Privacy</a> `}<a href="/reference/v3">API reference</a> <a href="/openapi.json">OpenAPI document</a> <a href="/deprecation">End of V1</a></nav>
</div></footer>
</body>
</html>
`.markup
}

/** The tags of the icons. Without the explorer there is only the SVG. */
const renderIcons = ({ accents }: Site, explorer: boolean): Html =>
  html`<link rel="icon" href="/icon.svg" type="image/svg+xml">
<meta name="theme-color" content="${accents.light}">
${explorer ? RASTER_ICONS : html``}`

const RASTER_ICONS = html`<link rel="icon" href="/favicon.ico" sizes="32x32">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">`

/** Works without JavaScript: hidden fields keep the filters. */
export function renderSearch(typed = '', hidden: readonly (readonly [string, string])[] = []): Html {
  return html`<form class="search" action="/" role="search">
<label for="search">Find a person</label>
<input id="search" name="q" type="search" value="${typed}" maxlength="200" placeholder="Name, tag, place, wallet or number" autocomplete="off" autocapitalize="off" spellcheck="false">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button type="submit">Search</button>
</form>`
}
