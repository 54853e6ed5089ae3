import { ServiceError } from '../../domain/errors.ts'
import type { FullPassport } from '../../domain/passport.ts'
import { quote } from '../../domain/text/quote.ts'
import type { ExplorerOptions, ExplorerPage } from '../explorer-page.ts'
import { formatFigure, nameOf, shortNameOf } from '../format.ts'
import { type Html, html } from '../html.ts'
import { COLORS, createSvgPage, drawHumanMark, drawName, drawScoreParts, drawSvg, round } from './svg.ts'
import { fitSize, textWidth } from './text-width.ts'

/** The score of a passport as a small SVG, for embedding in other pages. */
export const createBadge = ({ store }: ExplorerOptions): ExplorerPage =>
  createSvgPage(store, (passport, { query }) => STYLES[parseStyle(query.get('style'))](passport))

type Draw = (passport: FullPassport | undefined) => Html

const STYLES = { flat: drawFlat, plain: drawPlain, large: drawLarge } satisfies Record<string, Draw>

type Style = keyof typeof STYLES

function parseStyle(text: string | null): Style {
  if (text === null || text === '') return 'flat'
  if (Object.hasOwn(STYLES, text)) return text as Style
  throw new ServiceError(
    'invalid_request',
    `style must be one of ${Object.keys(STYLES).join(', ')}, got ${quote(text)}`,
  )
}

const FONT = 'Verdana, DejaVu Sans, Geneva, sans-serif'
const LABEL = 'passport'
const MISSING = 'not found'
const [HEIGHT, SIZE, PADDING, MARK] = [20, 11, 7, 11]
/** Contrasts with light and dark backgrounds. */
const LABEL_BACKGROUND = '#4b4842'
const MISSING_BACKGROUND = '#77726a'

function drawFlat(passport: FullPassport | undefined): Html {
  const layout = measure(passport, PADDING)
  const { width, labelEnd } = layout
  const background = html`<rect width="${width}" height="${HEIGHT}" rx="4" fill="${passport ? COLORS.accent : MISSING_BACKGROUND}"/>
<path d="M4 0H${labelEnd}V${HEIGHT}H4A4 4 0 0 1 0 ${HEIGHT - 4}V4A4 4 0 0 1 4 0Z" fill="${LABEL_BACKGROUND}"/>`
  return drawLine(passport, layout, background, { label: '#ffffff', value: '#ffffff', tick: COLORS.accent })
}

function drawPlain(passport: FullPassport | undefined): Html {
  const layout = measure(passport, 0)
  const background = html`<rect x="0.5" y="0.5" width="${round(layout.width - 1)}" height="${HEIGHT - 1}" rx="4" fill="${COLORS.paper}" stroke="${COLORS.line}"/>`
  const value = passport ? COLORS.accent : COLORS.soft
  return drawLine(passport, layout, background, { label: COLORS.soft, value, tick: COLORS.paper })
}

function drawLine(
  passport: FullPassport | undefined,
  { label, value, width }: ReturnType<typeof measure>,
  background: Html,
  colors: { label: string; value: string; tick: string },
): Html {
  return drawSvg(
    { width, height: HEIGHT, font: FONT, title: describe(passport) },
    html`${background}
${drawText(label, colors.label)}${drawText(value, colors.value)}
${passport?.human ? drawHumanMark(width - PADDING - MARK, (HEIGHT - MARK) / 2, MARK, colors.value, colors.tick) : html``}`,
  )
}

/** The layout of a one-line badge; the label's background extends `after` beyond its text. */
function measure(passport: FullPassport | undefined, after: number) {
  const text = passport ? formatFigure(passport.scores.total) + (passport.stale ? '…' : '') : MISSING
  const label = placeText(LABEL, PADDING, false)
  const labelEnd = round(PADDING + label.width + after)
  const value = placeText(text, round(labelEnd + PADDING), passport !== undefined)
  const mark = passport?.human ? MARK + 4 : 0
  return { label, value, labelEnd, width: round(value.x + value.width + mark + PADDING) }
}

const placeText = (text: string, x: number, bold: boolean) => ({
  text,
  x,
  bold,
  width: round(textWidth(text, { size: SIZE, bold })),
})

/** `textLength` fixes the width, whatever font the reader has. */
function drawText({ text, x, width, bold }: ReturnType<typeof placeText>, fill: string): Html {
  return html`<text x="${x}" y="14" textLength="${width}" font-size="${SIZE}"${bold ? html` font-weight="700"` : html``} fill="${fill}">${text}</text>`
}

const LARGE = { width: 340, height: 84, padding: 16, score: 96 }

function drawLarge(passport: FullPassport | undefined): Html {
  const { width, height } = LARGE
  return drawSvg(
    { width, height, font: FONT, title: describe(passport, true) },
    html`<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="${COLORS.paper}" stroke="${COLORS.line}"/>
${passport ? drawPerson(passport) : drawMissing()}`,
  )
}

function drawPerson(passport: FullPassport): Html {
  const { width, padding: x, score: room } = LARGE
  const left = width - room - 3 * x
  const score = formatFigure(passport.scores.total)
  const size = fitSize(score, room, 34, true)
  const { human } = passport
  return html`${drawName(nameOf(passport), { x, y: 31, width: left, size: 16, smallest: 13, fill: COLORS.ink })}
${drawScoreParts(passport, x, 41, left, 6)}
${human ? drawHumanMark(x, 57, 13, COLORS.accent, COLORS.paper) : html``}
<text x="${human ? x + 18 : x}" y="67" font-size="11" fill="${COLORS.soft}">${captionOf(passport)}</text>
<text x="${width - x}" y="${38 + round(size * 0.36)}" text-anchor="end" font-size="${size}" font-weight="700" fill="${COLORS.accent}">${score}</text>`
}

function drawMissing(): Html {
  const { width, height, padding: x } = LARGE
  const place = { x, y: height / 2 + 6, width: width - 2 * x, size: 16, smallest: 13, fill: COLORS.soft }
  return drawName('Passport not found', place)
}

const captionOf = ({ human, stale }: FullPassport): string =>
  [LABEL, human && 'human', stale && 'recalculating…'].filter(Boolean).join(' · ')

function describe(passport: FullPassport | undefined, withName = false): string {
  if (!passport) return 'Passport not found'
  const { human, stale, scores } = passport
  const who = withName ? `${shortNameOf(passport)}: passport` : 'Passport'
  const notes = [human && 'verified human', stale && 'being recalculated'].filter(Boolean)
  return [`${who} score ${formatFigure(scores.total)}`, ...notes].join(', ')
}
