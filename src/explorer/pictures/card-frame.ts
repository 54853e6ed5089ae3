import { FONT_FAMILY } from '../design/fonts.ts'
import { type Html, html } from '../design/html.ts'
import { rosette } from '../design/rosette.ts'
import type { Site } from '../site/site.ts'
import { CARD_SIZE } from '../site/social-meta.ts'
import { colorsOf, drawName, drawSvg, round } from './svg.ts'
import { fitText } from './text-width.ts'

const { width: WIDTH, height: HEIGHT } = CARD_SIZE
export const LEFT = 72
export const RIGHT = WIDTH - LEFT
/** The rosette of a person is on the right, and text beside it. */
export const ROSETTE = { size: 316, x: RIGHT - 316, y: 118 }
export const TEXT_WIDTH = ROSETTE.x - LEFT - 40
const FONT = `${FONT_FAMILY}, Iowan Old Style, Palatino Linotype, Palatino, Georgia, serif`

/** Seven rosettes, as on the pages of people. */
const SAMPLES = [1, 2, 3, 5, 8, 13, 21]

export const drawSiteCard = (site: Site, words: string): Html =>
  drawTitleCard(site, { title: site.name, words, ids: SAMPLES, size: 120 })

type TitleCard = { title: string; words: string; ids: readonly number[]; size: number }

/** A title, a line of text and a row of seven rosettes at most. */
export function drawTitleCard(site: Site, { title, words, ids, size }: TitleCard): Html {
  const colors = colorsOf(site, 'light')
  const step = (RIGHT - LEFT) / SAMPLES.length
  return frame(
    title,
    site,
    html`${drawName(title, { x: LEFT, y: 250, width: RIGHT - LEFT, size, smallest: size / 2, fill: colors.ink })}
${drawText(LEFT, 320, 40, colors.soft, words)}
${ids.map((id, at) => html`<svg x="${round(LEFT + at * step)}" y="394" width="${round(step - 20)}" height="${round(step - 20)}">${rosette(id)}</svg>`)}`,
  )
}

/** In place of a card that cannot be drawn. */
export function drawErrorCard(site: Site, words: string): Html {
  const { soft } = colorsOf(site, 'light')
  return frame(
    words,
    site,
    drawName(words, { x: LEFT, y: 340, width: RIGHT - LEFT, size: 66, smallest: 46, fill: soft }),
  )
}

export function drawText(x: number, y: number, size: number, fill: string, text: string): Html {
  return html`<text x="${x}" y="${y}" font-size="${size}" fill="${fill}">${text}</text>`
}

/** Paper with a guilloche band, the name of the site and its host. */
export function frame(title: string, site: Site, body: Html): Html {
  const colors = colorsOf(site, 'light')
  const host = fitText(site.host, TEXT_WIDTH, { size: 24 })
  return drawSvg(
    { ...CARD_SIZE, font: FONT, title },
    html`<rect width="${WIDTH}" height="${HEIGHT}" fill="${colors.ground}"/>
<g fill="none" stroke="${colors.accent}" stroke-width="1.6">${WAVES}</g>
${body}
${drawText(LEFT, 594, 24, colors.accent, site.name)}
<g text-anchor="end">${drawText(RIGHT, 594, 24, colors.soft, host)}</g>`,
  )
}

/** Interwoven waves, as in the header of the pages. */
const WAVES: Html = html`${[0, 1, 2, 3, 4].map((at) => html`<path d="${drawWave(at / 5)}"/>`)}`

/** `phase` from 0 to 1. */
function drawWave(phase: number): string {
  const [half, top, height] = [60, 30, 34]
  const start = Math.round((phase - 1) * 2 * half)
  let path = `M${start} ${top}`
  for (let x = start, down = height; x < WIDTH; x += half, down = -down)
    path += `c${half / 2} 0 ${half / 2} ${down} ${half} ${down}`
  return path
}
