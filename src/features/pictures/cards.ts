import type { Awaitable } from '../../core/basics/awaitable.ts'
import { ServiceError } from '../../core/basics/errors.ts'
import type { FullPassport } from '../../core/passport/passport.ts'
import { picture, withoutCaching } from '../../ui/assets-and-csp.ts'
import { CATEGORIES, drawHistogram, type Segment, segmentsOf } from '../../ui/charts.ts'
import { type Html, html } from '../../ui/html.ts'
import { CARD_SIZE, describeCard } from '../../ui/layout.ts'
import type { ExplorerOptions, ExplorerPage, ExplorerRequest } from '../../ui/page.ts'
import { coverColor, rosette } from '../../ui/rosette.ts'
import type { Site } from '../../ui/site.ts'
import { findPassportWords, type PassportWords, STANDING_UNITS } from '../../ui/standings.ts'
import { formatDay, formatFigure, formatPeople, nameOf } from '../../ui/text.ts'
import { type Colors, coverOf, onCover } from '../../ui/tokens.ts'
import { drawText, frame, LEFT, RIGHT, ROSETTE, SERIF, TEXT_WIDTH } from './card-frame.ts'
import { drawableName, drawableText } from './drawable-text.ts'
import { createPicturePage } from './picture-page.ts'
import type { Png, RasterizerClient } from './rasterizer-calls.ts'
import { drawName, drawPart, drawScoreParts, fitSize, type Place, round, textWidth } from './svg.ts'

/** `fonts` matches a character of the further fonts, which draw PNG pictures. */
export type PictureContext = ExplorerOptions &
  Pick<RasterizerClient, 'rasterize'> & { fonts: RegExp | undefined }

/** A passport as an image for link previews: PNG for social networks, SVG for pages. */
export function createCard(options: PictureContext, drawCard: DrawCard): ExplorerPage {
  return createPicturePage(options, ['png', 'svg'], async (passport, type, request) => {
    const { site, signal } = request
    request.charge(STANDING_UNITS)
    const words = await findPassportWords(options, passport, signal)
    const draw = (name: string) =>
      drawPassport(passport, name, { ...words, top: words.top || words.rank }, site, options.now())
    return type === 'svg'
      ? picture('svg', draw(nameOf(passport)).markup)
      : drawCard(request, () => draw(drawableName(passport, options.fonts)))
  })
}

export const createSiteCard = (options: PictureContext, drawCard: DrawCard): ExplorerPage => ({
  cacheKey: () => '',
  render: (request) => drawCard(request, () => drawSite(options, request.site)),
})

async function drawSite({ index, fonts }: PictureContext, site: Site): Promise<Html> {
  const { total, distribution, highest } = await index.call('distribution', undefined)
  const owner = drawableText(site.owner ?? '', fonts)
  const runBy = owner === '' ? '' : `. Run by ${owner}`
  const words = `Scores of ${formatPeople(total)}, 0 to ${formatFigure(highest)}${runBy}`
  return drawTitleCard(site, { title: 'Public records of work', words, counts: distribution.slice(0, -1) })
}

type TitleCard = { title: string; words: string; counts?: readonly number[] }

export function drawTitleCard(site: Site, { title, words, counts }: TitleCard): Html {
  const colors = onCover(coverOf(site.accents))
  return frame(
    title,
    site,
    colors,
    html`${drawName(title, { x: LEFT, y: 180, width: RIGHT - LEFT, size: 92, smallest: 46, fill: colors.ink })}
${drawName(words, { x: LEFT, y: 250, width: RIGHT - LEFT, size: 46, smallest: 40, fill: colors.soft })}
${counts && drawCounts(counts, colors.accent)}`,
  )
}

const drawCounts = (counts: readonly number[], fill: string) =>
  html`<svg x="${LEFT}" y="300" width="${RIGHT - LEFT}" height="230" fill="${fill}">${drawHistogram(counts)}</svg>`

/**
 * A PNG counts as this many requests, so that one client can request about as many cards as the picture thread can
 * draw.
 */
const PNG_UNITS = 20

/** Draws cards as PNG. While the picture thread is busy or unavailable, the response is the site's card, uncached. */
export function createCardDrawer(options: PictureContext) {
  const { rasterize, onError } = options
  let siteCard: Promise<Png> | undefined
  return async ({ charge, site, signal }: ExplorerRequest, draw: () => Awaitable<Html>) => {
    charge(PNG_UNITS)
    // The site's card is requested first, because the queue may be full later.
    siteCard ??= drawSite(options, site).then(({ markup }) => rasterize(markup, CARD_SIZE.width))
    const spare = siteCard.catch(() => {
      siteCard = undefined
    })
    const { markup } = await draw()
    try {
      return picture('png', await rasterize(markup, CARD_SIZE.width, signal))
    } catch (error) {
      const png = await spare
      const isBusy = error instanceof ServiceError && ['overloaded', 'unavailable'].includes(error.code)
      if (!isBusy || !png) throw error
      onError(error)
      return withoutCaching(picture('png', png))
    }
  }
}

type DrawCard = ReturnType<typeof createCardDrawer>

const [SCORE_WIDTH, BASELINE] = [400, 370]

/** Previews are often 300 pixels wide, a quarter of the card: smaller text than 40 would be illegible. */
function drawPassport(passport: FullPassport, name: string, words: PassportWords, site: Site, now: number) {
  const colors = onCover(coverColor(passport.id))
  const score = formatFigure(passport.scores.total)
  const size = Math.min(172, Math.floor(SCORE_WIDTH / figureWidth(score)))
  const after = Math.round(LEFT + size * figureWidth(score) + 44)
  const sizes = new Map(segmentsOf(passport.scores).map((part) => [part.name, part.size]))
  const parts = PART_LABELS.filter(([name]) => name !== 'other' || sizes.has(name))
  const labels = parts.map(([name, words]): Label => [name, `${words} ${formatFigure(sizes.get(name) ?? 0)}`])
  const caption = `Passport score, ${formatDay(now)}`
  return frame(
    describeCard(passport),
    site,
    colors,
    html`<svg x="${ROSETTE.x}" y="${ROSETTE.y}" width="${ROSETTE.size}" height="${ROSETTE.size}">
${rosette(passport.id)}
</svg>
${drawName(name, { x: LEFT, y: 128, width: TEXT_WIDTH, size: 76, smallest: 46, fill: colors.ink })}
${drawText(LEFT, 194, fitSize(caption, TEXT_WIDTH / SERIF, 44), colors.soft, caption)}
<text x="${LEFT - round(size * 0.03)}" y="${BASELINE}" font-size="${size}" fill="${colors.accent}">${score}</text>
${drawStanding(words, after, colors)}
${passport.human && drawPill('human', { x: ROSETTE.x + ROSETTE.size / 2, y: BASELINE, size: 42 }, colors.accent)}
<rect x="${LEFT}" y="414" width="${RIGHT - LEFT}" height="44" rx="11" fill="${colors.track}"/>
${drawScoreParts(passport.scores, colors, { x: LEFT, y: 414, width: words.share * (RIGHT - LEFT), height: 44 })}
${drawLegend(labels, colors, { y: 522, size: 44 })}`,
  )
}

/** The width of a number in the font of the card, at size 1. */
const figureWidth = (figure: string) =>
  0.53 * figure.replace(/[^\d]/g, '').length + 0.3 * figure.replace(/\d/g, '').length

/** Draws the level as a pill beside the score, above the standing, which is on the baseline of the score. */
function drawStanding({ top, level }: PassportWords, x: number, colors: Colors): Html {
  const width = TEXT_WIDTH + LEFT - x
  const size = fitSize(level, width - 44, 46)
  const pill = { x: round(x + pillWidth(level, size) / 2), y: top === '' ? BASELINE : BASELINE - 78, size }
  return html`${top !== '' && drawText(x, BASELINE, fitSize(top, width, 56), colors.ink, top)}
${level !== '' && drawPill(level, pill, colors.accentInk, colors.accent)}`
}

const pillWidth = (words: string, size: number) => round(textWidth(words, { size }) * SERIF + 44)

/** `x` is the centre of the pill. Without a background, the pill has an outline. */
function drawPill(words: string, { x, y, size }: Place, ink: string, background = 'none'): Html {
  const width = pillWidth(words, size)
  const outline = background === 'none' ? ink : background
  return html`<rect x="${round(x - width / 2)}" y="${round(y - size * 0.98)}" width="${width}"
height="${round(size * 1.4)}" rx="${round(size * 0.7)}" fill="${background}" stroke="${outline}" stroke-width="3"/>
<g text-anchor="middle">${drawText(x, y, size, ink, words)}</g>`
}

type Label = [name: Segment['name'], words: string]
const PART_LABELS = Object.entries({ ...CATEGORIES, other: 'Other' }) as Label[]

function drawLegend(labels: readonly Label[], colors: Colors, place: Omit<Place, 'x'>): Html {
  const [swatch, space] = [1.2 * place.size, 36]
  const width = RIGHT - LEFT - labels.length * (swatch + space) + space
  const size = fitSize(labels.map(([, words]) => words).join(''), width / SERIF, place.size)
  const box = { y: place.y - 0.8 * place.size, width: 0.9 * place.size, height: 0.9 * place.size }
  let x = LEFT
  return html`${labels.map(([name, words]) => {
    const entry = html`${drawPart(name, colors, { ...box, x })}
${drawText(x + swatch, place.y, size, colors.ink, words)}`
    x += Math.ceil(swatch + textWidth(words, { size }) * SERIF + space)
    return entry
  })}`
}
