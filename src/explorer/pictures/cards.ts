import type { FullPassport } from '../../domain/passport.ts'
import { count } from '../../domain/text/counts-and-sizes.ts'
import { CATEGORIES, SCORE_PARTS } from '../design/charts.ts'
import { type Html, html } from '../design/html.ts'
import { rosette } from '../design/rosette.ts'
import { formatFigure, formatPeople, nameOf } from '../design/text.ts'
import type { Colors } from '../design/tokens.ts'
import { picture, withoutCaching } from '../site/assets-and-csp.ts'
import type {
  CardOptions,
  DrawCard,
  ExplorerOptions,
  ExplorerPage,
  Png,
} from '../site/explorer-page-types.ts'
import { CARD_SIZE, describeCard } from '../site/layout-and-link-previews.ts'
import { isCode } from '../site/not-ready.ts'
import type { Site } from '../site/site.ts'
import { findPassportWords, type PassportWords } from '../site/standings.ts'
import { drawText, frame, LEFT, RIGHT, ROSETTE, TEXT_WIDTH } from './card-frame.ts'
import { drawableName } from './drawable-text.ts'
import { createPicturePage } from './picture-page.ts'
import { colorsOf, drawName, drawScoreParts, fitSize, round, textWidth } from './svg.ts'

/** A passport as an image for link previews: PNG for social networks, SVG for pages. */
export function createCard(options: CardOptions): ExplorerPage {
  const { store, drawCard } = options
  return createPicturePage(store, ['png', 'svg'], async (passport, type, request) => {
    const { site, signal } = request
    let isComplete = true
    const draw = async (name: string) => {
      const words = await findPassportWords(options, passport, signal)
      isComplete = words.isComplete
      if (words.top !== '') return drawPassport(passport, name, words, site)
      // The number of credentials is the headline if the passport has no high standing.
      const { credentials = [] } = (await store.credentials.find({ id: passport.id })) ?? {}
      const top = credentials.length === 0 ? '' : count(credentials.length, 'credential')
      return drawPassport(passport, name, { ...words, top }, site)
    }
    const card =
      type === 'svg'
        ? picture('svg', (await draw(nameOf(passport))).markup)
        : await drawCard(request, () => draw(drawableName(passport)))
    return isComplete ? card : withoutCaching(card)
  })
}

/** The card of pages that are not about one person. */
export const createSiteCard = (options: CardOptions): ExplorerPage => ({
  version: () => '',
  render: (request) => options.drawCard(request, () => drawSite(options, request.site)),
})

async function drawSite({ catalog }: ExplorerOptions, site: Site): Promise<Html> {
  const { total } = await catalog.standing(0)
  const words = `${formatPeople(total)}, ranked by score`
  return drawTitleCard(site, { title: site.name, words, ids: [1, 2, 3, 5, 8, 13, 21], size: 120 })
}

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

/** A PNG counts as this many requests, so that one client can request about as many cards as the picture thread can draw. */
const PNG_UNITS = 25

/** Draws cards as PNG. While the picture thread is busy or unavailable, the response is the site's card, uncached. */
export function createCardDrawer(options: ExplorerOptions): DrawCard {
  const { rasterize, onError } = options
  let siteCard: Promise<Png> | undefined
  return async ({ charge, site, signal }, draw) => {
    await charge(PNG_UNITS)
    // The site's card is requested first, because the queue may be full later.
    siteCard ??= drawSite(options, site).then(({ markup }) => rasterize(markup, CARD_SIZE.width))
    const requested = siteCard
    const spare = requested.catch(() => {
      if (siteCard === requested) siteCard = undefined
    })
    const { markup } = await draw()
    try {
      return picture('png', await rasterize(markup, CARD_SIZE.width, signal))
    } catch (error) {
      const png = await spare
      if (!isCode(error, ['overloaded', 'unavailable']) || !png) throw error
      onError(error)
      return withoutCaching(picture('png', png))
    }
  }
}

const SCORE_WIDTH = 400
const BASELINE = 394

function drawPassport(passport: FullPassport, name: string, words: PassportWords, site: Site): Html {
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

/** Draws lines beside the score. The last line is on the baseline of the score, and the level is a pill. */
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
  if (level === '') return lines
  const size = fitSize(level, width - 44, 32)
  const pill = round(textWidth(level, { size }) * SERIF + 44)
  return html`${lines}<rect x="${x}" y="${y - 35}" width="${pill}" height="50" rx="25" fill="${colors.accent}"/><g text-anchor="middle">${drawText(round(x + pill / 2), y, size, colors.accentInk, level)}</g>`
}

/** The width of text in the card's font, relative to `textWidth`, which assumes Verdana. */
const SERIF = 0.95

/** Widths in the legend: a swatch, the space between entries, and the pill with "human". */
const [SWATCH, SPACE, PILL] = [36, 40, 122]

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
  if (!human) return html`${entries}`
  return html`${entries}<rect x="${RIGHT - PILL}" y="503" width="${PILL}" height="44" rx="22" fill="none" stroke="${colors.accent}" stroke-width="2"/><g text-anchor="middle">${drawText(RIGHT - PILL / 2, 534, 28, colors.accent, 'human')}</g>`
}
