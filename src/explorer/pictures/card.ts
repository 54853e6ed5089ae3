import type { FullPassport } from '../../domain/passport.ts'
import type { Standing } from '../../domain/score-distribution.ts'
import { parseOrigin } from '../../domain/url.ts'
import type { ExplorerOptions, ExplorerPage } from '../explorer-page.ts'
import { describeRank, describeShare, formatFigure, nameOf, shortNameOf } from '../format.ts'
import { type Html, html } from '../html.ts'
import { CATEGORIES, SCORE_PARTS } from '../score-bar.ts'
import { COLORS, createSvgPage, drawHumanMark, drawName, drawScoreParts, drawSvg } from './svg.ts'
import { fitSize, fitText, textWidth } from './text-width.ts'

/** The size of link previews in social networks. */
export const CARD_SIZE = { width: 1200, height: 630 }

/** A passport as an SVG for link previews. */
export const createCard = ({ store, catalog }: ExplorerOptions): ExplorerPage =>
  createSvgPage(store, async (passport, { origin }) => {
    const host = parseOrigin(origin)?.host ?? ''
    if (!passport) return drawMissing(host)
    return drawCard(passport, await catalog.standing(passport.scores.total), host)
  })

export function describeCard(passport: FullPassport): string {
  return `${shortNameOf(passport)}: passport score ${formatFigure(passport.scores.total)}`
}

const { width: WIDTH, height: HEIGHT } = CARD_SIZE
const LEFT = 80
const CONTENT_WIDTH = WIDTH - 2 * LEFT
const RIGHT = WIDTH - LEFT
const SCORE_WIDTH = 572
const STANDING_WIDTH = CONTENT_WIDTH - SCORE_WIDTH - 30
const FONT = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, DejaVu Sans, sans-serif'

function drawCard(passport: FullPassport, standing: Standing, host: string): Html {
  const score = formatFigure(passport.scores.total)
  const size = fitSize(score, SCORE_WIDTH, 176, true)
  const label = passport.human ? 'Passport · human' : 'Passport'
  return frame(
    describeCard(passport),
    host,
    html`${passport.human ? drawHumanMark(LEFT, 78, 36, COLORS.accent, COLORS.paper) : html``}
${drawText(LEFT + (passport.human ? 50 : 0), 106, 28, COLORS.soft, label)}
${drawName(nameOf(passport), { x: LEFT, y: 190, width: CONTENT_WIDTH, size: 60, smallest: 44, fill: COLORS.ink })}
<text x="${LEFT - 6}" y="402" font-size="${size}" font-weight="700" fill="${COLORS.accent}">${score}</text>
${drawStanding(passport, standing)}
${drawScoreParts(passport, LEFT, 452, CONTENT_WIDTH, 22)}
${drawLegend(passport)}`,
  )
}

function drawStanding({ stale }: FullPassport, standing: Standing): Html {
  const rank = describeRank(standing).replace('rank', 'Rank')
  const size = fitSize(rank, STANDING_WIDTH, 36)
  return html`<g text-anchor="end">${drawText(RIGHT, 352, size, COLORS.ink, rank)}
${drawText(RIGHT, 400, 30, COLORS.soft, stale ? 'recalculating…' : describeShare(standing))}</g>`
}

/** Width of a dot in the legend, and space between its entries. */
const [DOT, SPACE] = [30, 30]

function drawLegend({ scores }: FullPassport): Html {
  const labels = SCORE_PARTS.map((part) => `${CATEGORIES[part]} ${formatFigure(scores[part])}`)
  const size = fitSize(labels.join(''), CONTENT_WIDTH - SCORE_PARTS.length * (DOT + SPACE), 28)
  let x = LEFT
  const entries = SCORE_PARTS.map((part, at) => {
    const words = labels[at] ?? ''
    const entry = html`<circle cx="${x + 9}" cy="511" r="9" fill="${COLORS[part]}"/>${drawText(x + DOT, 520, size, COLORS.ink, words)}`
    x += Math.ceil(DOT + textWidth(words, { size }) + SPACE)
    return entry
  })
  return html`${entries}`
}

function drawMissing(host: string): Html {
  return frame(
    'Passport not found',
    host,
    html`${drawText(LEFT, 106, 28, COLORS.soft, 'Passport')}
${drawName('Passport not found', { x: LEFT, y: 330, width: CONTENT_WIDTH, size: 60, smallest: 44, fill: COLORS.ink })}`,
  )
}

function drawText(x: number, y: number, size: number, fill: string, text: string): Html {
  return html`<text x="${x}" y="${y}" font-size="${size}" fill="${fill}">${text}</text>`
}

function frame(title: string, host: string, body: Html): Html {
  const address = fitText(host, CONTENT_WIDTH, { size: 22 })
  return drawSvg(
    { ...CARD_SIZE, font: FONT, title },
    html`<rect width="${WIDTH}" height="${HEIGHT}" fill="${COLORS.paper}"/>
<rect width="${WIDTH}" height="12" fill="${COLORS.accent}"/>
${body}
<g text-anchor="end">${drawText(RIGHT, 590, 22, COLORS.soft, address)}</g>`,
  )
}
