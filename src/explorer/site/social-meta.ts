import type { FullPassport, Passport } from '../../domain/passport.ts'
import { parseOrigin, parseWebAddress } from '../../domain/url.ts'
import { formatFigure, shortNameOf } from '../design/format.ts'
import { type Html, html } from '../design/html.ts'
import type { Site } from './site.ts'

const MAX_LINKS = 10

/** The size of link previews in social networks. */
export const CARD_SIZE = { width: 1200, height: 630 }

/** The preview of a link to a page. */
export type Share = {
  /** The canonical path of the page. */
  path?: string
  type?: 'profile' | 'website'
  title?: string
  description?: string
  /** The path of the card; by default the card of the site. */
  card?: string
  /** Describes the card. */
  alt?: string
}

/**
 * Open Graph tags, which Twitter reads too. The origin may come from the `Host` of the request, which is untrusted: URLs are
 * omitted if it is malformed.
 */
export function renderShareMeta({ name, origin }: Site, share: Share): Html {
  const base = parseOrigin(origin)?.origin
  const { path, type = 'website', title = name, description = '', card = SITE_CARD, alt = name } = share
  const url = base !== undefined && path !== undefined ? `${base}${path}` : undefined
  return html`${url ? html`<link rel="canonical" href="${url}">\n<meta property="og:url" content="${url}">\n` : html``}<meta property="og:type" content="${type}">
<meta property="og:site_name" content="${name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${base ? renderImage(`${base}${card}`, alt) : html``}<meta name="twitter:card" content="${base ? 'summary_large_image' : 'summary'}">
`
}

export const SITE_CARD = '/card/site.png'

function renderImage(url: string, alt: string): Html {
  return html`<meta property="og:image" content="${url}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${CARD_SIZE.width}">
<meta property="og:image:height" content="${CARD_SIZE.height}">
<meta property="og:image:alt" content="${alt}">
<meta name="twitter:image" content="${url}">
`
}

export const describeCard = (passport: FullPassport): string =>
  `${shortNameOf(passport)}: passport score ${formatFigure(passport.scores.total)}`

/** `best` is the best true statement about the score; the level may be empty. */
export const sharePassport = (passport: FullPassport, best: string, level = ''): Share => ({
  path: `/passports/${passport.id}`,
  type: 'profile',
  title: `${shortNameOf(passport)}: ${[formatFigure(passport.scores.total), level].filter(Boolean).join(', ')}`,
  description: describe(passport, best),
  card: `/card/${passport.id}.png`,
  alt: describeCard(passport),
})

/** "270 people tagged “builder”, led by Ada Harborlight", from the title of the list. */
export function shareList(
  title: string,
  {
    total,
    ranked,
    query,
  }: { total: number; ranked: readonly { passport: Passport }[]; query: { page: number } },
): Share {
  const [first] = ranked
  if (!first || query.page > 1 || !/people/i.test(title)) return {}
  const words = title.replace(/people/i, total === 1 ? 'person' : 'people')
  const list = `${formatFigure(total)} ${words.charAt(0).toLowerCase()}${words.slice(1)}`
  return { description: `${list}${total === 1 ? ': ' : ', led by '}${shortNameOf(first.passport)}` }
}

/** Links for embedding, and data for search engines. */
export function renderProfileMeta(passport: FullPassport, origin: string): Html {
  const base = parseOrigin(origin)?.origin
  const url = base && `${base}/passports/${passport.id}`
  return html`${url ? html`<link rel="alternate" type="application/json+oembed" href="${base}/oembed?url=${encodeURIComponent(url)}" title="${shortNameOf(passport)}">\n` : html``}${renderData(toProfile(passport, url))}
`
}

function describe({ scores, human }: FullPassport, best: string): string {
  const score = `Passport score ${formatFigure(scores.total)}${best === '' ? '' : `: ${best}`}.`
  const parts = `Activity ${formatFigure(scores.activity)}, identity ${formatFigure(scores.identity)}, skills ${formatFigure(scores.skills)}.`
  return `${score} ${parts}${human ? ' Marked as human.' : ''}`
}

function toProfile(passport: FullPassport, url: string | undefined) {
  const links = passport.socials.flatMap((social) => parseWebAddress(social.url) ?? [])
  const sameAs = [...new Set(links)].slice(0, MAX_LINKS)
  return {
    '@context': 'https://schema.org',
    '@type': 'ProfilePage',
    ...(url && { url }),
    mainEntity: {
      '@type': 'Person',
      name: shortNameOf(passport),
      identifier: String(passport.id),
      ...(url && { url }),
      ...(sameAs.length > 0 && { sameAs }),
    },
  }
}

/** Escapes all characters that could end the element or a line of script. */
function renderData(data: unknown): Html {
  const json = JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return { markup: `<script type="application/ld+json">${json}</script>` }
}
