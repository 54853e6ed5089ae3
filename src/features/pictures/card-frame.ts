import { FONT_FAMILY } from '../../ui/fonts.ts'
import { type Html, html } from '../../ui/html.ts'
import { CARD_SIZE } from '../../ui/layout.ts'
import type { Site } from '../../ui/site.ts'
import type { Colors } from '../../ui/tokens.ts'
import { drawName, drawSvg, fitSize, fitText } from './svg.ts'

const { width: WIDTH, height: HEIGHT } = CARD_SIZE
export const LEFT = 72
export const RIGHT = WIDTH - LEFT
export const ROSETTE = { size: 236, x: RIGHT - 236, y: 66 }
export const TEXT_WIDTH = ROSETTE.x - LEFT - 40
/** The width of text in the card's font, relative to `textWidth`, which assumes Verdana. */
export const SERIF = 0.95
const FONT = `${FONT_FAMILY}, Iowan Old Style, Palatino Linotype, Palatino, Georgia, serif`

export function drawText(x: number, y: number, size: number, fill: string, text: string): Html {
  return html`<text x="${x}" y="${y}" font-size="${size}" fill="${fill}">${text}</text>`
}

export function frame(title: string, site: Site, colors: Colors, body: Html): Html {
  const half = (RIGHT - LEFT) / 2 - 20
  const host = fitText(site.host, half, { size: 24 })
  const name = site.demo ? `${site.name}, demo data` : site.name
  return drawSvg(
    { ...CARD_SIZE, font: FONT, title },
    html`<rect width="${WIDTH}" height="${HEIGHT}" fill="${colors.ground}"/>
<g fill="none" stroke="${colors.accent}" stroke-width="1.6">${WAVES}</g>
${body}
${drawName(name, { x: LEFT, y: 600, width: half, size: 36, smallest: 24, fill: colors.accent })}
<g text-anchor="end">${drawText(RIGHT, 600, fitSize(host, half, 36), colors.soft, host)}</g>`,
  )
}

/** Interwoven waves, as in the header of the pages. */
const WAVES: Html = html`${[0, 1, 2, 3, 4].map((at) => html`<path d="${drawWave(at / 5)}"/>`)}`

function drawWave(phase: number): string {
  const [half, top, height] = [60, 8, 28]
  const start = Math.round((phase - 1) * 2 * half)
  let path = `M${start} ${top}`
  for (let x = start, down = height; x < WIDTH; x += half, down = -down)
    path += `c${half / 2} 0 ${half / 2} ${down} ${half} ${down}`
  return path
}
