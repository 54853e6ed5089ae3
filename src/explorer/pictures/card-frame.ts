import type { Passport } from '../../domain/passport.ts'
import { FONT_FAMILY } from '../design/fonts.ts'
import { type Html, html } from '../design/html.ts'
import { rosette } from '../design/rosette.ts'
import { nameOf } from '../design/text.ts'
import { CARD_SIZE } from '../site/layout.ts'
import type { Site } from '../site/site.ts'
import { colorsOf, drawName, drawSvg, fitText, round } from './svg.ts'

const { width: WIDTH, height: HEIGHT } = CARD_SIZE
export const LEFT = 72
export const RIGHT = WIDTH - LEFT
/** The rosette of a person, to the right of the text. */
export const ROSETTE = { size: 316, x: RIGHT - 316, y: 118 }
export const TEXT_WIDTH = ROSETTE.x - LEFT - 40
const FONT = `${FONT_FAMILY}, Iowan Old Style, Palatino Linotype, Palatino, Georgia, serif`

type TitleCard = { title: string; words: string; ids: readonly number[]; size: number }

/** Draws a card with a title, a line of text and a row of at most seven rosettes. */
export function drawTitleCard(site: Site, { title, words, ids, size }: TitleCard): Html {
  const colors = colorsOf(site, 'light')
  const step = (RIGHT - LEFT) / 7
  return frame(
    title,
    site,
    html`${drawName(title, { x: LEFT, y: 250, width: RIGHT - LEFT, size, smallest: size / 2, fill: colors.ink })}
${drawText(LEFT, 320, 40, colors.soft, words)}
${ids.map((id, at) => html`<svg x="${round(LEFT + at * step)}" y="394" width="${round(step - 20)}" height="${round(step - 20)}">${rosette(id)}</svg>`)}`,
  )
}

/** Draws a card with an error message, in place of a card that cannot be drawn. */
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

/** Characters of the font: Latin with Vietnamese, Cyrillic and Greek, and their punctuation. */
const DRAWABLE =
  /^[ -~\u00a0-\u012b\u012e-\u0131\u0134-\u0165\u0168-\u017f\u01a0\u01a1\u01af\u01b0\u0218-\u021b\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u045f\u0490-\u0493\u1ea0-\u1ef9\u2013\u2014\u2018-\u201a\u201c-\u201e\u2022\u2026\u20ac\u2122]+$/

const EMOJI = /\p{RGI_Emoji}|\p{Extended_Pictographic}|\ufe0f|\u200d/gv

/** Returns the name without emoji, or the id if the font of PNG pictures lacks a character of the name. */
export const drawableName = (passport: Pick<Passport, 'id' | 'profile'>): string =>
  drawableText(nameOf(passport)) || `Passport ${passport.id}`

/** Returns the text without emoji, or "" if the font lacks one of its characters. */
export function drawableText(given: string): string {
  const text = given
    .normalize('NFC')
    .replace(EMOJI, (character) => (DRAWABLE.test(character) ? character : ''))
    .replace(/\s+/g, ' ')
    .trim()
  return DRAWABLE.test(text) ? text : ''
}
