import { PALETTE } from '../design/tokens.ts'
import type { ExplorerPage } from '../explorer-page.ts'
import { type Html, html } from '../html.ts'
import { picture } from '../pictures/picture-page.ts'
import type { Rasterize } from '../pictures/remote-rasterizer.ts'
import type { Site } from './site.ts'

/** The tags of the icons. Without the explorer there is only the SVG. */
export const renderIcons = ({ accents }: Site, explorer: boolean): Html =>
  html`<link rel="icon" href="/icon.svg" type="image/svg+xml">
<meta name="theme-color" content="${accents.light}">
${explorer ? RASTER_ICONS : html``}`

const RASTER_ICONS = html`<link rel="icon" href="/favicon.ico" sizes="32x32">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">`

/** A passport with a rosette, in the accent of the site. */
export const drawIcon = ({ accents }: Pick<Site, 'accents'>): string =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect x="9" y="2" width="46" height="60" rx="7" fill="${accents.light}"/><g fill="none" stroke="${PALETTE.light.panel}" stroke-width="2.2">${[0, 60, 120, 180, 240, 300].map((turn) => html`<circle cx="32" cy="19" r="7.5" transform="rotate(${turn} 32 26)"/>`)}<path d="M21 50h22" stroke-width="3.4" stroke-linecap="round"/></g></svg>`
    .markup

/** Phones cut round corners into an icon with a full background. */
const drawTile = ({ accents }: Site): string =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 84 84"><rect x="-10" y="-10" width="84" height="84" fill="${PALETTE.light.ground}"/>${{ markup: drawIcon({ accents }).replace(/^<svg[^>]*>|<\/svg>$/g, '') }}</svg>`
    .markup

/** Browsers accept a PNG as `favicon.ico`. */
export const createIcons = (rasterize: Rasterize): { path: string; page: ExplorerPage }[] =>
  [
    { path: '/favicon.ico', width: 32, draw: drawIcon },
    { path: '/apple-touch-icon.png', width: 180, draw: drawTile },
  ].map(({ path, width, draw }) => ({
    path,
    page: {
      version: () => '',
      render: async ({ site, signal }) =>
        picture('png', await rasterize(() => draw(site), width, { signal })),
    },
  }))
