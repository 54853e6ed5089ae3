import { notFound } from '../../domain/errors.ts'
import { type FullPassport, type PassportRef, parsePassportRef } from '../../domain/passport.ts'
import type { Awaitable, Store } from '../../store/store.ts'
import { type ExplorerPage, type ExplorerRequest, file, POLICY } from '../explorer-page.ts'
import { type Html, html } from '../html.ts'
import { isRightToLeft } from '../sanitize.ts'
import { SCORE_PARTS } from '../score-bar.ts'
import { fitSize, fitText } from './text-width.ts'

/** The light theme of the pages. An SVG draws its own background, because the embedding page is unknown. */
export const COLORS = {
  paper: '#faf8f4',
  ink: '#23221f',
  soft: '#66625a',
  line: '#cfc8b9',
  track: '#e9e4d9',
  accent: '#1f6f5c',
  activity: '#b4682a',
  identity: '#2f5f9e',
  skills: '#1f6f5c',
}

type Draw = (passport: FullPassport | undefined, request: ExplorerRequest) => Awaitable<Html>

/**
 * The SVG at a path such as `/badge/7.svg`. Browsers show the SVG of a 404 too. It has `no-cache`, because proxies would
 * otherwise serve it after its passport was removed.
 */
export const createSvgPage = (store: Store, draw: Draw): ExplorerPage => ({
  async version({ path }) {
    const ref = parseSvgPath(path)
    return (ref && (await store.v1.findPassport(ref)))?.etag ?? ''
  },
  async render(request) {
    const ref = parseSvgPath(request.path)
    const passport = ref && (await store.passports.find(ref))
    const { markup } = await draw(passport, request)
    return file('image/svg+xml', markup, POLICY.file, passport ? 200 : 404)
  },
})

/** Reads the undecoded path: a malformed name is a missing passport, not an error. */
function parseSvgPath(path: string): PassportRef | undefined {
  const name = path.split('/')[2] ?? ''
  if (!name.endsWith('.svg')) throw notFound()
  try {
    return parsePassportRef(decodeURIComponent(name.slice(0, -'.svg'.length)))
  } catch {
    return undefined
  }
}

type Canvas = { width: number; height: number; font: string; title: string }

export function drawSvg({ width, height, font, title }: Canvas, body: Html): Html {
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="${font}">
<title>${title}</title>
${body}
</svg>
`
}

/** `smallest` is the minimum font size before the name is truncated. */
type Frame = { x: number; y: number; width: number; size: number; smallest: number; fill: string }

/** A name on one line, left-aligned in any script and clipped to its frame. */
export function drawName(name: string, { x, y, width, size: largest, smallest, fill }: Frame): Html {
  const shown = fitText(name, width, { size: smallest, bold: true })
  const size = Math.max(smallest, fitSize(shown, width, largest, true))
  // The end of right-to-left text is on the left.
  const side = isRightToLeft(shown) ? html` direction="rtl" text-anchor="end"` : html``
  const baseline = Math.round(size * 1.1)
  return html`<svg x="${x}" y="${y - baseline}" width="${width}" height="${Math.round(size * 1.6)}" overflow="hidden"><text y="${baseline}" font-size="${size}" font-weight="700" fill="${fill}"${side}>${shown}</text></svg>`
}

export function drawHumanMark(x: number, y: number, size: number, fill: string, tick: string): Html {
  return html`<g transform="translate(${x} ${y}) scale(${size / 16})"><circle cx="8" cy="8" r="8" fill="${fill}"/><path d="M4.4 8.3l2.5 2.5 4.7-5.2" fill="none" stroke="${tick}" stroke-width="1.9" stroke-linecap="round" stroke-linejoin="round"/></g>`
}

const GAP = 3

/** The parts of a score side by side, with proportional widths. */
export function drawScoreParts(
  { scores }: FullPassport,
  x: number,
  y: number,
  width: number,
  height: number,
): Html {
  const parts = SCORE_PARTS.filter((part) => scores[part] > 0)
  const sum = parts.reduce((total, part) => total + scores[part], 0)
  const available = width - height * parts.length - GAP * (parts.length - 1)
  let at = x
  const drawn = parts.map((part) => {
    const length = round(height + (scores[part] / sum) * available)
    const bar = html`<rect x="${round(at)}" y="${y}" width="${length}" height="${height}" rx="${height / 2}" fill="${COLORS[part]}"/>`
    at += length + GAP
    return bar
  })
  if (parts.length > 0) return html`${drawn}`
  return html`<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${height / 2}" fill="${COLORS.track}"/>`
}

export const round = (length: number): number => Math.round(length * 10) / 10
