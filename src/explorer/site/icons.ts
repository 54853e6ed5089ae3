import { PALETTE } from '../design/tokens.ts'
import type { ExplorerPage } from '../explorer-page.ts'
import { type Html, html } from '../html.ts'
import { type PictureType, picture } from '../pictures/picture-page.ts'
import type { Rasterize } from '../pictures/remote-rasterizer.ts'
import type { Site } from './site.ts'

/** The tags of the favicon set. Without the explorer there is only the SVG. */
export const renderIcons = ({ accents }: Site, explorer: boolean): Html =>
  html`<link rel="icon" href="/icon.svg" type="image/svg+xml">
<meta name="theme-color" content="${accents.light}">
${explorer ? RASTER_ICONS : html``}`

const RASTER_ICONS = html`<link rel="icon" href="/favicon.ico" sizes="32x32">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
<link rel="manifest" href="/site.webmanifest">`

/** A passport with a rosette, in the accent of the site. */
export const drawIcon = ({ accents }: Pick<Site, 'accents'>): string =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect x="9" y="2" width="46" height="60" rx="7" fill="${accents.light}"/><g fill="none" stroke="${PALETTE.light.panel}" stroke-width="2.2">${[0, 60, 120, 180, 240, 300].map((turn) => html`<circle cx="32" cy="19" r="7.5" transform="rotate(${turn} 32 26)"/>`)}<path d="M21 50h22" stroke-width="3.4" stroke-linecap="round"/></g></svg>`
    .markup

/** Phones cut round corners into an icon with a full background. */
const drawTile = ({ accents }: Site): string =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 84 84"><rect x="-10" y="-10" width="84" height="84" fill="${PALETTE.light.ground}"/>${{ markup: drawIcon({ accents }).replace(/^<svg[^>]*>|<\/svg>$/g, '') }}</svg>`
    .markup

type Icon = {
  path: string
  type: PictureType
  render: (site: Site) => Promise<string | Uint8Array<ArrayBuffer>>
}

/** The favicon set and the web manifest. */
export const createIcons = (rasterize: Rasterize): { path: string; page: ExplorerPage }[] => {
  const png = (path: string, width: number): Icon => ({
    path,
    type: 'png',
    render: (site) => rasterize(() => drawTile(site), width),
  })
  const icons: Icon[] = [
    {
      path: '/favicon.ico',
      type: 'ico',
      render: async (site) => toIco(await rasterize(() => drawIcon(site), ICO_SIZE)),
    },
    png('/apple-touch-icon.png', 180),
    png('/icon-192.png', 192),
    png('/icon-512.png', 512),
    { path: '/site.webmanifest', type: 'webmanifest', render: async (site) => toManifest(site) },
  ]
  return icons.map(({ path, type, render }) => ({
    path,
    page: { version: () => '', render: async ({ site }) => picture(type, await render(site)) },
  }))
}

const toManifest = ({ name, accents }: Site): string =>
  JSON.stringify({
    name,
    short_name: name,
    start_url: '/',
    display: 'browser',
    background_color: PALETTE.light.ground,
    theme_color: accents.light,
    icons: [
      { src: '/icon.svg', type: 'image/svg+xml', sizes: 'any' },
      { src: '/icon-192.png', type: 'image/png', sizes: '192x192' },
      { src: '/icon-512.png', type: 'image/png', sizes: '512x512' },
    ],
  })

const ICO_SIZE = 32

/** An ICO file with one PNG: a header of 6 bytes and an entry of 16 bytes. */
function toIco(png: Uint8Array): Uint8Array<ArrayBuffer> {
  const ico = new Uint8Array(22 + png.length)
  const view = new DataView(ico.buffer)
  view.setUint16(2, 1, true)
  view.setUint16(4, 1, true)
  ico.set([ICO_SIZE, ICO_SIZE], 6)
  view.setUint16(10, 1, true)
  view.setUint16(12, 32, true)
  view.setUint32(14, png.length, true)
  view.setUint32(18, 22, true)
  ico.set(png, 22)
  return ico
}
