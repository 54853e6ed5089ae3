import { pageRoute } from '../../api/route.ts'
import { DEFAULT_SITE, type SiteSettings } from '../../config/site.ts'
import { contrast, mix } from '../../domain/hex-color.ts'
import { parseOrigin } from '../../domain/url.ts'
import { PALETTE, type Theme } from '../design/tokens.ts'
import { type AssetName, createAssets } from './assets.ts'
import { file, POLICY, picture } from './files.ts'
import { drawIcon } from './icons.ts'

/** The operator's brand and the URLs of the assets, for the layout of every page. */
export type Site = SiteSettings & {
  /** The public URL, or the origin of the request; empty if neither is known. */
  origin: string
  /** Of the public URL. Pictures do not show the host of a request: a client could make each one different. */
  host: string
  urlOf: (name: AssetName) => string
  /** The accent of each theme. */
  accents: Record<Theme, string>
}

export function createSite(settings: SiteSettings = DEFAULT_SITE, publicUrl = '') {
  const accents = accentsOf(settings.accent)
  const { urlOf, routes } = createAssets(accents)
  const site: Site = {
    ...settings,
    origin: publicUrl,
    host: parseOrigin(publicUrl)?.host ?? '',
    urlOf,
    accents,
  }
  const [icon, robots] = [
    picture('svg', drawIcon(site)),
    file('text/plain', describeRobots(site), POLICY.file),
  ]
  return {
    site,
    routes: [...routes, pageRoute('/icon.svg', () => icon), pageRoute('/robots.txt', () => robots)],
  }
}

/** The rules for crawlers. */
function describeRobots({ index, origin }: Site): string {
  const rules = index ? 'Allow: /\nDisallow: /api/' : 'Disallow: /'
  const sitemap = index && origin !== '' ? `\nSitemap: ${origin}/sitemap.xml\n` : ''
  return `User-agent: *\n${rules}\n${sitemap}`
}

/** WCAG AA requires 4.5; the default accent of the dark theme has more than 7. */
const DARK_CONTRAST = 7

/** The accent of the dark theme has the same hue, and is light enough for text. */
function accentsOf(accent: string | undefined): Site['accents'] {
  if (accent === undefined) return { light: PALETTE.light.accent, dark: PALETTE.dark.accent }
  let dark = accent
  for (let share = 0.05; contrast(dark, PALETTE.dark.ground) < DARK_CONTRAST; share += 0.05)
    dark = mix(accent, '#ffffff', share)
  return { light: accent, dark }
}
