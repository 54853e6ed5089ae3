import type { FullPassport } from '../../domain/passport.ts'
import { count } from '../../domain/text/format.ts'
import { FONT_FAMILY } from '../design/fonts.ts'
import { rosette } from '../design/rosette.ts'
import { type ExplorerOptions, type ExplorerPage, withoutCaching } from '../explorer-page.ts'
import { formatFigure, formatPeople, nameOf } from '../format.ts'
import { type Html, html } from '../html.ts'
import { CATEGORIES, SCORE_PARTS } from '../score-bar.ts'
import type { Site } from '../site/site.ts'
import type { DrawCard } from './draw-card.ts'
import { drawableName } from './drawable-name.ts'
import { createPassportWords, type PassportWords } from './passport-words.ts'
import { createPicturePage, picture } from './picture-page.ts'
import { CARD_SIZE, describeCard } from './social-meta.ts'
import { type Colors, colorsOf, drawName, drawScoreParts, drawSvg, round } from './svg.ts'
import { fitSize, fitText, textWidth } from './text-width.ts'

/** A passport as an image for link previews: PNG for social networks, SVG for pages. */
export function createCard(options: ExplorerOptions, drawPng: DrawCard): ExplorerPage {
  const { store } = options
  const findWords = createPassportWords(options)

  /** Without a high standing, the number of credentials is the headline. */
  async function describe(passport: FullPassport, signal: AbortSignal): Promise<PassportWords> {
    const words = await findWords(passport, signal)
    if (words.top !== '') return words
    const { credentials = [] } = (await store.credentials.find({ id: passport.id })) ?? {}
    return { ...words, top: credentials.length === 0 ? '' : count(credentials.length, 'credential') }
  }

  return createPicturePage(store, ['png', 'svg'], async (passport, type, request) => {
    const { site, signal } = request
    let isComplete = true
    const draw = async (name: string) => {
      const words = await describe(passport, signal)
      isComplete = words.isComplete
      return drawCard(passport, name, words, site).markup
    }
    const card =
      type === 'svg'
        ? picture('svg', await draw(nameOf(passport)))
        : await drawPng(() => draw(drawableName(passport)), request)
    return isComplete ? card : withoutCaching(card)
  })
}

/** The card of pages that are not about one person. */
export const createSiteCard = ({ catalog }: ExplorerOptions, drawPng: DrawCard): ExplorerPage => ({
  version: () => '',
  async render(request) {
    const { total } = await catalog.standing(0)
    const { markup } = drawSiteCard(request.site, `${formatPeople(total)}, ranked by score`)
    return drawPng(() => markup, request)
  },
})

const { width: WIDTH, height: HEIGHT } = CARD_SIZE
export const LEFT = 72
export const RIGHT = WIDTH - LEFT
const ROSETTE = { size: 316, x: RIGHT - 316, y: 118 }
/** Beside the rosette. */
const TEXT_WIDTH = ROSETTE.x - LEFT - 40
const SCORE_WIDTH = 400
const BASELINE = 394
const FONT = `${FONT_FAMILY}, Iowan Old Style, Palatino Linotype, Palatino, Georgia, serif`

function drawCard(passport: FullPassport, name: string, words: PassportWords, site: Site): Html {
  const colors = colorsOf(site, 'light')
  const score = formatFigure(passport.scores.total)
  const size = Math.min(196, Math.floor(SCORE_WIDTH / figureWidth(score)))
  const after = Math.round(LEFT + size * figureWidth(score) + 44)
  return frame(
    describeCard(passport),
    site,
    html`<svg x="${ROSETTE.x}" y="${ROSETTE.y}" width="${ROSETTE.size}" height="${ROSETTE.size}">${rosette(passport.id)}</svg>
${drawName(name, { x: LEFT, y: 184, width: TEXT_WIDTH, size: 70, smallest: 38, fill: colors.ink })}
<text x="${LEFT - round(size * 0.03)}" y="${BASELINE}" font-size="${size}" fill="${colors.accent}">${score}</text>
${drawStanding(words, after, colors)}
${drawScoreParts(passport.scores, colors, { x: LEFT, y: 462, width: RIGHT - LEFT, height: 26 })}
${drawLegend(passport, colors)}`,
  )
}

/** The width of a number in the font of the card, at size 1. */
const figureWidth = (figure: string) =>
  0.53 * figure.replace(/[^\d]/g, '').length + 0.3 * figure.replace(/\d/g, '').length

/** Lines beside the score, the last one on its baseline; the level is a pill. */
function drawStanding({ top, level, rank }: PassportWords, x: number, colors: Colors): Html {
  const width = TEXT_WIDTH + LEFT - x
  let y = BASELINE
  const drawLine = (words: string, size: number, fill: string, height: number) => {
    if (words === '') return html``
    const line = drawText(x, y, fitSize(words, width, size), fill, words)
    y -= height
    return line
  }
  const lines = html`${drawLine(rank, 30, colors.soft, 50)}${drawLine(top, 50, colors.ink, 70)}`
  return html`${lines}${level === '' ? html`` : drawLevel(level, x, y, width, colors)}`
}

function drawLevel(level: string, x: number, y: number, room: number, colors: Colors): Html {
  const size = fitSize(level, room - 44, 32)
  const width = round(textWidth(level, { size }) * SERIF + 44)
  return html`<rect x="${x}" y="${y - 35}" width="${width}" height="50" rx="25" fill="${colors.accent}"/><g text-anchor="middle">${drawText(round(x + width / 2), y, size, colors.accentInk, level)}</g>`
}

/** The font of the card is narrower than the one whose widths are known. */
const SERIF = 0.95

/** Width of a swatch in the legend, and space between its entries. */
const [SWATCH, SPACE] = [36, 40]

function drawLegend({ scores, human }: FullPassport, colors: Colors): Html {
  const labels = SCORE_PARTS.map((part) => `${CATEGORIES[part]} ${formatFigure(scores[part])}`)
  const width = RIGHT - LEFT - SCORE_PARTS.length * (SWATCH + SPACE) - (human ? PILL : 0)
  const size = fitSize(labels.join(''), width, 31)
  let x = LEFT
  const entries = SCORE_PARTS.map((part, at) => {
    const words = labels[at] ?? ''
    const entry = html`<rect x="${x}" y="513" width="22" height="22" rx="5" fill="${colors[part]}"/>${drawText(x + SWATCH, 533, size, colors.ink, words)}`
    x += Math.ceil(SWATCH + textWidth(words, { size }) + SPACE)
    return entry
  })
  return html`${entries}${human ? drawHuman(colors.accent) : html``}`
}

const PILL = 122

function drawHuman(color: string): Html {
  return html`<rect x="${RIGHT - PILL}" y="503" width="${PILL}" height="44" rx="22" fill="none" stroke="${color}" stroke-width="2"/><g text-anchor="middle">${drawText(RIGHT - PILL / 2, 534, 28, color, 'human')}</g>`
}

/** Seven rosettes, as on the pages of people. */
const SAMPLES = [1, 2, 3, 5, 8, 13, 21]

export function drawSiteCard(site: Site, words: string): Html {
  const colors = colorsOf(site, 'light')
  return frame(
    site.name,
    site,
    html`${drawName(site.name, { x: LEFT, y: 250, width: RIGHT - LEFT, size: 120, smallest: 60, fill: colors.ink })}
${drawText(LEFT, 320, 40, colors.soft, words)}
${drawRosettes(SAMPLES)}`,
  )
}

/** A row of seven at most. */
export function drawRosettes(ids: readonly number[]): Html {
  const step = (RIGHT - LEFT) / SAMPLES.length
  return html`${ids.map((id, at) => html`<svg x="${round(LEFT + at * step)}" y="394" width="${round(step - 20)}" height="${round(step - 20)}">${rosette(id)}</svg>`)}`
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
