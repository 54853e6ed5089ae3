import { DEFAULT_SITE, type SiteSettings } from '../../domain/settings/site.ts'
import { type AssetName, createAssets } from './assets.ts'

/** The operator's brand and the URLs of the assets, for the layout of every page. */
export type Site = SiteSettings & {
  /** The public URL, or the origin of the request; empty if neither is known. */
  origin: string
  urlOf: (name: AssetName) => string
}

export function createSite(settings: SiteSettings = DEFAULT_SITE, publicUrl = '') {
  const { urlOf, routes } = createAssets(settings.accent)
  const site: Site = { ...settings, origin: publicUrl, urlOf }
  return { site, routes }
}
