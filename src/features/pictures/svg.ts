import type { Scores } from '../../core/passport/passport.ts'
import { fitSegments, type Segment, segmentsOf } from '../../ui/charts.ts'
import { type Html, html } from '../../ui/html.ts'
import type { Site } from '../../ui/site.ts'
import { graphemesOf, shortenText } from '../../ui/text.ts'
import { type Colors, PALETTE, type Theme } from '../../ui/tokens.ts'

/**
 * The colours of the pages, with the operator's accent. An SVG draws its own background, because the embedding page is
 * unknown.
 */
export const colorsOf = ({ accents }: Pick<Site, 'accents'>, theme: Theme): Colors => ({
  ...PALETTE[theme],
  accent: accents[theme],
})

type Canvas = { width: number; height: number; font: string; title: string }

export function drawSvg({ width, height, font, title }: Canvas, body: Html): Html {
  return html`<svg xmlns="http://www.w3.org/2000/svg"
width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="${font}">
<title>${title}</title>
${body}
</svg>
`
}

export type Place = { x: number; y: number; size: number }

/** A name wider than `width` gets a smaller font, down to `smallest`. A name that is still too wide is truncated. */
type Frame = Place & { width: number; smallest: number; fill: string }

/** Draws a name on one line. It is left-aligned in any script, and clipped to its frame. */
export function drawName(name: string, frame: Frame): Html {
  const { x, y, width, smallest, fill } = frame
  const shown = fitText(name, width, { size: smallest })
  const size = Math.max(smallest, fitSize(shown, width, frame.size))
  const baseline = Math.round(size * 1.1)
  return html`<svg x="${x}" y="${y - baseline}" width="${width}" height="${Math.round(size * 1.6)}" overflow="hidden">
<text y="${baseline}" font-size="${size}" fill="${fill}" unicode-bidi="plaintext">${shown}</text>
</svg>`
}

type Box = { x: number; y: number; width: number; height: number }

/**
 * Draws the parts of a score side by side, in proportion to the total. Gaps and textures separate them, in case colours
 * look alike.
 */
export function drawScoreParts(scores: Scores, colors: Colors, box: Box): Html {
  const segments = fitSegments(segmentsOf(scores), 100)
  if (segments.length === 0) return drawBox(box, colors.track)
  const gap = box.height / 10
  let { x } = box
  return html`${segments.map(({ name, size }, at) => {
    const width = (size / 100) * box.width
    const drawn = drawPart(name, colors, { ...box, x, width: at < segments.length - 1 ? width - gap : width })
    x += width
    return drawn
  })}`
}

const drawBox = ({ x, y, width, height }: Box, fill: string) =>
  html`<rect x="${round(x)}" y="${y}" width="${round(width)}" height="${height}" rx="${height / 4}" fill="${fill}"/>`

/** Draws a part with the texture of the pages: a dashed line looks like stripes or dots. */
export function drawPart(name: Segment['name'], colors: Colors, box: Box): Html {
  const { x, y, width, height } = box
  const background = drawBox(box, name === 'other' ? colors.soft : colors[name])
  if (name === 'activity' || name === 'other') return background
  const isStriped = name === 'identity'
  const inset = Math.min(width, height) / (isStriped ? 4 : 2)
  const line = `M${round(x + inset)} ${y + height / 2}h${round(Math.max(1, width - 2 * inset))}`
  const texture = isStriped
    ? html`stroke-opacity=".6" stroke-width="${height}" stroke-dasharray="${round(height / 8)} ${round(height / 4)}"`
    : html`stroke-opacity=".9" stroke-width="${round(height / 3.5)}" stroke-linecap="round"
stroke-dasharray="0 ${round(height / 1.6)}"`
  return html`${background}<path d="${line}" stroke="${colors.panel}" ${texture}/>`
}

export const round = (length: number): number => Math.round(length * 10) / 10

/** Character widths of Verdana, the widest likely font, in thousandths of the font size. */
const WIDTHS: Record<string, number> = {
  ...widthsOf('ilIMW@', 274, 274, 421, 843, 989, 1000),
  ...widthsOf(' .,:;·…%-', 352, 364, 364, 454, 454, 364, 818, 1076, 454),
  ...widthsOf('0123456789', 636, 636, 636, 636, 636, 636, 636, 636, 636, 636),
  ...widthsOf('abcdefghjkm', 601, 623, 521, 623, 596, 352, 623, 633, 344, 592, 973),
  ...widthsOf('nopqrstuvwxyz', 633, 607, 623, 623, 427, 521, 394, 633, 592, 818, 592, 592, 525),
}

const WIDE = 1000
const EMOJI = 1300
/** The width of capitals and other alphabets. A few characters are wider. */
const OTHER = 720
const BOLD = 1.12

type Font = { size: number; bold?: boolean }

/** Estimates the width, because the reader's font is unknown. Clip the text where overflow matters. */
export function textWidth(text: string, { size, bold = false }: Font): number {
  let sum = 0
  for (const grapheme of graphemesOf(text)) sum += widthOf(grapheme)
  return sum * scaleOf(size, bold)
}

export function fitText(text: string, width: number, { size, bold = false }: Font): string {
  return shortenText(text, width / scaleOf(size, bold), widthOf)
}

export function fitSize(text: string, width: number, largest: number): number {
  return Math.min(largest, Math.floor(width / textWidth(text, { size: 1 })))
}

const scaleOf = (size: number, bold: boolean) => (size / 1000) * (bold ? BOLD : 1)

function widthOf(grapheme: string): number {
  const known = WIDTHS[grapheme.charAt(0)]
  if (known !== undefined) return known
  if (/\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(grapheme)) return EMOJI
  return Bun.stringWidth(grapheme) > 1 ? WIDE : OTHER
}

function widthsOf(characters: string, ...widths: number[]): Record<string, number> {
  return Object.fromEntries([...characters].map((character, at) => [character, widths[at] ?? OTHER]))
}
