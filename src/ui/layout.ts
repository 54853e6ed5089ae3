import type { RenderedPage } from '../core/http/rendered-page.ts'
import type { FullPassport, Passport } from '../core/passport/passport.ts'
import { type Asset, file, POLICY, SEARCH, THEME } from './assets-and-csp.ts'
import { LATIN_FONT_PATH } from './fonts.ts'
import { type Html, html } from './html.ts'
import type { Link, Site } from './site.ts'
import { formatFigure, shortNameOf, shortWord } from './text.ts'

type Layout = {
  site: Site
  title: string
  description: string
  head?: Html
  script?: Asset
  /** The link preview; by default with the title, the description and the card of the site. */
  share?: Share
  main: Html
}

export const respondPage = (layout: Layout, status = 200): RenderedPage =>
  file('text/html', renderLayout(layout), POLICY.page, status)

/** Pages with a larger script have no suggestions in the header, because both scripts together would be too large. */
const MOST_WITH_SUGGESTIONS = 10_000

/** A page without a search for people has one in its header. */
export function renderLayout(layout: Layout): string {
  const { site, title, description, head, share, script, main } = layout
  const { explorer } = site
  const hasSearch = explorer && !main.markup.includes(' id="search" ')
  // `/credentials/github` is a page of Credentials.
  const folderOf = (path?: string) => path?.split(/[/?]/)[1]
  const linksIn = (place: Link['in']) => site.links.filter((link) => link.in === place)
  const menu = linksIn('menu').map(({ path, text }) =>
    renderLink(path, text, folderOf(path) === folderOf(share?.path)),
  )
  const footer = [
    ...linksIn('footer').map(({ path, text }) => renderLink(path, text, false)),
    ...(site.contact === undefined ? [] : [html`<a href="${site.contact}">Contact</a>`]),
    ...(site.privacyUrl === undefined
      ? []
      : [html`<a href="${site.privacyUrl}" rel="noreferrer">Privacy</a>`]),
  ]
  const isSmall = (script?.page.body.length ?? 0) <= MOST_WITH_SUGGESTIONS
  const scripts = [...(script ? [script] : []), ...(hasSearch && isSmall ? [SEARCH] : [])]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<title>${title} · ${site.name}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<meta name="theme-color" content="${site.accents.light}">
${explorer && html`<link rel="icon" href="/favicon.ico" sizes="32x32">`}
<link rel="preload" href="${LATIN_FONT_PATH}" as="font" type="font/woff2" crossorigin>
<script src="${THEME.url}"></script>
<link rel="stylesheet" href="${site.style.url}">
${renderShareMeta(site, { title, description, ...share })}${head}
${scripts.map(({ url }) => html`<script type="module" src="${url}"></script>`)}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<p class="brand row"><a href="/">${site.name}</a></p>
${hasSearch && HEADER_SEARCH}
<button class="quiet" type="button" popovertarget="pages">Menu</button>
<div id="pages" class="panel" popover><nav aria-label="Pages">${joinLinks(menu)}</nav></div>
</header>
<main id="main">
${main}
</main>
<footer><div>
<p>${site.name}: public records of work, with scores for activity, identity and skills.${renderOwner(site)}</p>
<nav aria-label="About this site">${joinLinks(footer)}</nav>
${THEMES}
</div></footer>
</body>
</html>
`.markup
}

const HEADER_SEARCH = html`<form id="find-person" action="/" role="search" aria-label="People">
<input id="search" name="q" type="search" aria-label="Find a person" maxlength="200" placeholder="Search"
autocomplete="off" spellcheck="false">
<ul class="panel rows" data-results data-linked></ul>
<span class="unseen" role="status" data-count></span>
</form>`

function renderOwner({ owner, explorer }: Site): Html {
  if (owner === undefined) return html``
  const name = owner.replace(/\.$/, '')
  return html` Run by ${explorer ? html`<a href="/about">${name}</a>` : name}.`
}

export const renderLink = (path: string, text: string | Html, isHere: boolean): Html =>
  html`<a href="${path}"${isHere && html` aria-current="page"`}>${text}</a>`

const joinLinks = (links: readonly Html[]) => links.map((link, at) => html`${at === 0 ? '' : ' '}${link}`)

/** The script keeps the choice in the browser. Without scripts, the theme is that of the system. */
const THEMES = html`<label class="scripted">Theme <select id="theme" autocomplete="off">
<option value="">System</option>
<option value="light">Light</option>
<option value="dark">Dark</option>
</select></label>`

/** The form works without JavaScript. Hidden fields keep the filters. */
export function renderSearch(typed = '', hidden: readonly (readonly [string, string])[] = []): Html {
  return html`<form class="search" action="/" role="search">
<label class="unseen" for="search">Find a person</label>
<input id="search" name="q" type="search" value="${typed}" maxlength="200" placeholder="Name, tag, place or wallet"
autocomplete="off" autocapitalize="off" spellcheck="false">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit">Search</button>
</form>`
}

export const CARD_SIZE = { width: 1200, height: 630 }

export type Share = {
  path?: string
  type?: 'profile' | 'website'
  title?: string
  description?: string
  /** The path of the card; by default the card of the site. */
  card?: string
  alt?: string
}

/** Open Graph tags, which Twitter reads too. Without an origin, URLs are omitted. Only the explorer has cards. */
export function renderShareMeta({ name, origin, explorer }: Site, share: Share): Html {
  const { path, type = 'website', title = name, description = '', card = SITE_CARD } = share
  const { alt = `${name}: public records of work, with a histogram of all scores` } = share
  const url = origin !== '' && path !== undefined ? `${origin}${path}` : undefined
  const hasCard = explorer && origin !== ''
  const image = html`<meta property="og:image" content="${origin}${card}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${CARD_SIZE.width}">
<meta property="og:image:height" content="${CARD_SIZE.height}">
<meta property="og:image:alt" content="${alt}">
`
  const address = html`<link rel="canonical" href="${url}">
<meta property="og:url" content="${url}">
`
  return html`${url && address}<meta property="og:type" content="${type}">
<meta property="og:site_name" content="${name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${hasCard && image}<meta name="twitter:card" content="${hasCard ? 'summary_large_image' : 'summary'}">
`
}

export const SITE_CARD = '/card/site.png'

export const describeCard = (passport: Passport): string =>
  `${shortNameOf(passport)}: passport score ${formatFigure(passport.scores.total)}`

/**
 * Shares a page about a passport with its card. Other sites keep a card by its URL, so that a new score needs another
 * one.
 */
export const shareWithCard = (passport: Passport, path: string) => ({
  path,
  card: `/card/${passport.id}.png?score=${passport.scores.total}`,
  alt: describeCard(passport),
})

/** `best` is a statement about the score, such as "Top 4% overall". `best` and `level` may be empty. */
export function sharePassport(passport: FullPassport, best: string, level = '') {
  const { id, scores, human, profile } = passport
  const words = [profile.location, ...profile.tags.slice(0, 3)].map((word) => shortWord(word, 30))
  const parts = (['activity', 'identity', 'skills'] as const).map(
    (part) => `${part} ${formatFigure(scores[part])}`,
  )
  const facts = [...words, best, parts.join(', '), human ? 'human' : ''].filter(Boolean).join(' · ')
  return {
    ...shareWithCard(passport, `/passports/${id}`),
    type: 'profile',
    title: `${describeCard(passport)}${level === '' ? '' : `, ${level}`}`,
    description: `${shortWord(profile.bio, 100)} ${facts}`.trim(),
  } as const
}

/** Returns "270 people tagged “builder”" for "People tagged “builder”". */
export function countList(title: string, total: number): string {
  const words = total === 1 ? title.replace(/people/i, 'person').replace(/^humans/i, 'human') : title
  return `${total === 0 ? 'No' : formatFigure(total)} ${words.charAt(0).toLowerCase()}${words.slice(1)}`
}
