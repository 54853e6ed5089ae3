import { html } from '../design/html.ts'
import { PALETTE, type Theme } from '../design/tokens.ts'

type Accents = { accents: Record<Theme, string> }

/** A passport with a rosette, in the accent of the site. */
export const drawIcon = ({ accents }: Accents): string =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect x="9" y="2" width="46" height="60" rx="7" fill="${accents.light}"/><g fill="none" stroke="${PALETTE.light.panel}" stroke-width="2.2">${[0, 60, 120, 180, 240, 300].map((turn) => html`<circle cx="32" cy="19" r="7.5" transform="rotate(${turn} 32 26)"/>`)}<path d="M21 50h22" stroke-width="3.4" stroke-linecap="round"/></g></svg>`
    .markup

/** Phones cut round corners into an icon with a full background. */
export const drawTile = ({ accents }: Accents): string =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 84 84"><rect x="-10" y="-10" width="84" height="84" fill="${PALETTE.light.ground}"/>${{ markup: drawIcon({ accents }).replace(/^<svg[^>]*>|<\/svg>$/g, '') }}</svg>`
    .markup
