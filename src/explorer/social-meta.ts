import type { FullPassport } from '../domain/passport.ts'
import type { Standing } from '../domain/score-distribution.ts'
import { parseOrigin, parseWebAddress } from '../domain/url.ts'
import { CARD_SIZE, describeCard } from './card.ts'
import { describeRank, describeShare, formatFigure, nameOf, shortNameOf } from './format.ts'
import { type Html, html } from './html.ts'

const MAX_LINKS = 50

/**
 * Metadata for search engines and link previews. Twitter reads the `og:` properties too. `origin` may come from the `Host`
 * of the request, which is untrusted: URLs are omitted if it is malformed.
 */
export function renderSocialMeta(passport: FullPassport, standing: Standing, origin: string): Html {
  const base = parseOrigin(origin)?.origin
  const url = base && `${base}/passports/${passport.id}`
  return html`${url ? html`<link rel="canonical" href="${url}">\n` : html``}<meta property="og:type" content="profile">
<meta property="og:title" content="${shortNameOf(passport)}">
<meta property="og:description" content="${describe(passport, standing)}">
${url ? renderAddresses(url, `${base}/card/${passport.id}.svg`, describeCard(passport)) : html``}<meta name="twitter:card" content="${url ? 'summary_large_image' : 'summary'}">
${renderData(toProfile(passport, url))}
`
}

function renderAddresses(url: string, card: string, alt: string): Html {
  return html`<meta property="og:url" content="${url}">
<meta property="og:image" content="${card}">
<meta property="og:image:type" content="image/svg+xml">
<meta property="og:image:width" content="${CARD_SIZE.width}">
<meta property="og:image:height" content="${CARD_SIZE.height}">
<meta property="og:image:alt" content="${alt}">
`
}

/** Many networks do not show SVG, so the description includes all values. */
function describe({ scores, human }: FullPassport, standing: Standing): string {
  const place = [describeRank(standing), describeShare(standing)].filter((words) => words !== '').join(', ')
  const parts = `Activity ${formatFigure(scores.activity)}, identity ${formatFigure(scores.identity)}, skills ${formatFigure(scores.skills)}.`
  return `Passport score ${formatFigure(scores.total)}: ${place}. ${parts}${human ? ' Verified human.' : ''}`
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
      name: nameOf(passport),
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
