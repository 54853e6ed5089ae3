import { contrast, mix } from '../core/basics/color-contrast.ts'
import { parseOrigin } from '../core/basics/url.ts'
import { PROGRAM } from '../core/basics/version.ts'
import { DEFAULT_SITE, DEMO_SITE, type SiteSettings } from '../core/config/site-settings.ts'
import { publicOriginOf } from '../core/http/parse-request.ts'
import { type DocumentedRoute, pageRoute } from '../core/http/route.ts'
import {
  type Asset,
  assetRoutes,
  createSiteStyle,
  file,
  POLICY,
  picture,
  SEARCH,
  SHARE,
  THEME,
} from './assets-and-csp.ts'
import { type Html, html } from './html.ts'
import { renderAddress, renderCopyable } from './text.ts'
import { PALETTE, type Theme } from './tokens.ts'

/** The operator's brand and the URLs of the assets, for the layout of every page. */
export type Site = SiteSettings & {
  /** Whether the service has pages of people, which other pages link to and search engines list. */
  explorer: boolean
  /** The public URL or, without one, the origin of the request; empty if that is malformed. */
  origin: string
  /** The host of the public URL. Pictures show it, not the host of the request, so that one picture fits all hosts. */
  host: string
  style: Asset
  links: readonly Link[]
  accents: Record<Theme, string>
}

/** An entry of the menu or the footer, which are sorted by `order`. */
export type Link = { path: string; text: string; in: 'menu' | 'footer'; order: number; needsExplorer?: true }

type Options = Partial<Pick<Site, 'explorer' | 'links'>> & {
  settings?: SiteSettings
  publicUrl?: string | undefined
  styles?: readonly string[]
  assets?: readonly Asset[]
}

export function createSite({
  settings = DEFAULT_SITE,
  publicUrl = '',
  explorer = true,
  ...options
}: Options) {
  const accents = accentsOf(settings.accent)
  const style = createSiteStyle(accents, options.styles ?? [])
  const host = parseOrigin(publicUrl)?.host ?? ''
  const links = (options.links ?? [])
    .filter(({ needsExplorer }) => explorer || !needsExplorer)
    .toSorted((one, other) => one.order - other.order)
  const own = { explorer, origin: publicUrl, host, style, links, accents }
  const site: Site = { ...settings, ...own }
  const icon = picture('svg', drawIcon(site))
  const showRobots = (request: Request) => {
    const origin = explorer ? publicOriginOf(request, publicUrl) : ''
    const rules = site.index ? 'Allow: /\nDisallow: /api/' : 'Disallow: /'
    const sitemap = site.index && origin !== '' ? `\nSitemap: ${origin}/sitemap.xml\n` : ''
    return file('text/plain', `User-agent: *\n${rules}\n${sitemap}`, POLICY.file)
  }
  return {
    site,
    routes: [
      ...assetRoutes([style, SEARCH, SHARE, THEME, ...(options.assets ?? [])]),
      pageRoute('/icon.svg', () => icon),
      pageRoute('/robots.txt', showRobots),
    ],
  }
}

/** The minimum contrast of the dark accent. WCAG AA requires 4.5; the default accent has more than 7. */
const DARK_CONTRAST = 7

/** The accent of the dark theme has the same hue, and is light enough for text. */
function accentsOf(accent: string | undefined): Site['accents'] {
  if (accent === undefined) return { light: PALETTE.light.accent, dark: PALETTE.dark.accent }
  let dark = accent
  for (let share = 0.05; contrast(dark, PALETTE.dark.ground) < DARK_CONTRAST; share += 0.05)
    dark = mix(accent, '#ffffff', share)
  return { light: accent, dark }
}

export const drawIcon = ({ accents }: Pick<Site, 'accents'>): string =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
<rect x="9" y="2" width="46" height="60" rx="7" fill="${accents.light}"/>
<g fill="none" stroke="${PALETTE.light.panel}" stroke-width="2.2">
${[0, 60, 120, 180, 240, 300].map(drawPetal)}
<path d="M21 50h22" stroke-width="3.4" stroke-linecap="round"/>
</g>
</svg>`.markup

const drawPetal = (turn: number) => html`<circle cx="32" cy="19" r="7.5" transform="rotate(${turn} 32 26)"/>`

export function renderKeyHelp({ keys }: Site): Html {
  if (keys === undefined) return html``
  if (keys !== DEMO_SITE.keys) return html`<p>How to get a key: ${renderAddress(keys)}</p>`
  return html`<p>To get a key, run this where the demo was started:</p>
${renderCopyable('command', html`${PROGRAM} keys create --demo --name me`)}`
}

export const referencePath = (version?: string): string =>
  version === undefined ? '/reference' : `/reference/${version.toLowerCase()}`

export const callPath = ({ id, surface }: DocumentedRoute): string =>
  `${referencePath(surface.tag.name)}/${id}`
